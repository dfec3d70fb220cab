package org.bitwitness.protocol.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.format.DescriptorJson;
import org.bitwitness.protocol.format.SmallRecording;
import org.junit.jupiter.api.Test;

class StorageSpecTest {
    private static final long END = 700;

    @Test
    void storesMultiplesOrPowers() {
        assertEquals(List.of(0L, 5L, 10L, 15L, 20L), stored(spec(5, 1), 21));
        assertEquals(List.of(0L, 10L, 20L, 40L, 80L, 160L), stored(spec(10, 2), 200));
        assertEquals(List.of(0L, 1L, 3L, 9L, 27L), stored(spec(1, 3), 81));
    }

    @Test
    void countsWhatItStores() {
        for (int every = 1; every <= 7; every++) {
            for (int growth = 1; growth <= 5; growth++) {
                StorageSpec spec = spec(every, growth);
                Set<Long> expected = new TreeSet<>(Set.of(0L));
                for (long index = every; index < END; index = growth == 1 ? index + every : index * growth) {
                    expected.add(index);
                }
                assertEquals(List.copyOf(expected), stored(spec, END));
                List<Long> places = LongStream.range(0, spec.storedBefore(END))
                        .map(spec::storedAt)
                        .boxed()
                        .toList();
                assertEquals(List.copyOf(expected), places, spec.toString());
            }
        }
    }

    @Test
    void isNotLedAstrayByNumbersThatDoNotFit() {
        StorageSpec huge = spec((1L << 53) - 1, StorageSpec.MAX_GROWTH);
        assertEquals(Long.MAX_VALUE, huge.storedAt(1L << 62));
        assertEquals(1, huge.storedBefore(1L << 52));
        assertEquals(Long.MAX_VALUE, spec(1L << 40, 1).storedAt(1L << 30));
    }

    @Test
    void refusesAGrowthThatStandsStill() {
        assertThrows(IllegalArgumentException.class, () -> spec(10, 0));
        assertThrows(IllegalArgumentException.class, () -> spec(10, StorageSpec.MAX_GROWTH + 1));
    }

    /** An old descriptor keeps its bytes, and there is one spelling of a policy. */
    @Test
    void aDescriptorNamesTheGrowthExactlyWhereThereIsOne() throws ProtocolException {
        String old = text(SmallRecording.descriptor());
        assertFalse(old.contains("Growth"), old);
        String grown = old.replace("\"checkpointEvery\":2,", "\"checkpointEvery\":2,\"checkpointGrowth\":4,");
        Descriptor read = DescriptorJson.read(grown.getBytes(StandardCharsets.UTF_8));
        assertEquals(4, read.storage().checkpointGrowth());
        assertEquals(grown, text(read));
        byte[] one = grown.replace("Growth\":4", "Growth\":1").getBytes(StandardCharsets.UTF_8);
        assertThrows(ProtocolException.class, () -> DescriptorJson.read(one));
    }

    private static String text(Descriptor descriptor) {
        return new String(DescriptorJson.write(descriptor), StandardCharsets.UTF_8);
    }

    private static StorageSpec spec(long every, int growth) {
        return new StorageSpec(every, growth, 2, 2, UpdatePolicy.GRADIENTS);
    }

    private static List<Long> stored(StorageSpec spec, long end) {
        return LongStream.range(0, end).filter(spec::storesState).boxed().toList();
    }
}
