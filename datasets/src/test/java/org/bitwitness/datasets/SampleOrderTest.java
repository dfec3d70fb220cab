package org.bitwitness.datasets;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.record.DataSpec;
import org.bitwitness.protocol.record.MixtureSpec;
import org.bitwitness.protocol.record.MixtureSpec.Part;
import org.junit.jupiter.api.Test;

/** Three parts: code has the samples 0 to 11, prose 13 to 19 over two shards, web 21; 12 and 20 lie in two parts. */
class SampleOrderTest {
    private static final long SEED = 0x5EED_0000_0000_0007L;
    private static final int T = 4;
    private static final List<Part> PARTS = List.of(new Part("code/", 3), new Part("prose/", 2), new Part("web/", 1));
    private static final int PERIOD = 6;

    private final DatasetManifest manifest = new DatasetManifest(
            "three",
            "",
            ByteTokenizer.SPEC,
            List.of(),
            List.of(
                    shard(0, Map.of("code/a", 30, "code/b", 20, "prose/a", 13)),
                    shard(1, Map.of("prose/b", 21, "web/x", 9))));

    @Test
    void everyPeriodHasExactlyTheSharesOfTheWeights() throws Exception {
        SampleOrder order = order(PARTS);
        assertEquals(PERIOD, order.passLength());
        for (long period = 0; period < 500; period++) {
            Map<String, Integer> counts = new TreeMap<>();
            for (long r = 0; r < PERIOD; r++) {
                counts.merge(order.place(new DataCursor(period, r)).part(), 1, Integer::sum);
            }
            assertEquals(Map.of("code/", 3, "prose/", 2, "web/", 1), counts, "period " + period);
        }
    }

    @Test
    void aPartReadsEachOfItsSamplesOnceInEveryPassAndEndsItsPassesWhenItWill() throws Exception {
        SampleOrder order = order(PARTS);
        Map<String, Map<Long, List<Long>>> passes = new TreeMap<>();
        for (long p = 0; p < 84 * PERIOD; p++) {
            SampleOrder.Place place = order.place(DataCursor.START.advance(p, PERIOD));
            passes.computeIfAbsent(place.part(), _ -> new TreeMap<>())
                    .computeIfAbsent(place.pass(), _ -> new ArrayList<>())
                    .add(place.sample());
        }
        assertPasses(passes, "code/", 84 * 3 / 12, 0, 12);
        assertPasses(passes, "prose/", 84 * 2 / 7, 13, 7);
        assertPasses(passes, "web/", 84, 21, 1);
    }

    private static void assertPasses(
            Map<String, Map<Long, List<Long>>> passes, String part, int count, long first, int samples) {
        Map<Long, List<Long>> of = passes.getOrDefault(part, Map.of());
        assertEquals(count, of.size(), part);
        of.forEach((pass, read) -> {
            assertEquals(samples, read.size(), part + " pass " + pass);
            TreeSet<Long> sorted = new TreeSet<>(read);
            assertEquals(samples, sorted.size(), part + " pass " + pass + " repeats a sample: " + read);
            assertEquals(first, sorted.first());
            assertEquals(first + samples - 1, sorted.last());
        });
        if (samples > 6) {
            assertNotEquals(of.get(0L), of.get(1L), "every pass has an order of its own");
        }
    }

    /** Batches of steps are what single places give, however the workers are counted. */
    @Test
    void stepsOfAnyNumberOfWorkersReadTheSameSequence() throws Exception {
        SampleOrder order = order(PARTS);
        List<Long> single = new ArrayList<>();
        for (long p = 0; p < 120; p++) {
            single.add(order.place(DataCursor.START.advance(p, PERIOD)).sample());
        }
        for (int workers : new int[] {1, 2, 5}) {
            List<Long> read = new ArrayList<>();
            DataCursor cursor = DataCursor.START;
            while (read.size() < 120) {
                for (int w = 0; w < workers; w++) {
                    for (int b = 0; b < 2; b++) {
                        for (long sample : order.samplesOf(cursor, w, b)) {
                            read.add(sample);
                        }
                    }
                }
                cursor = cursor.advance(order.spec().samplesPerStep(workers), order.passLength());
            }
            assertEquals(single, read.subList(0, 120), workers + " workers");
        }
    }

    /** Values of a separate program in Python, written from docs/formats.md; periods past 2^32 among them. */
    @Test
    void theOrderOfAMixtureIsFixedForEver() throws Exception {
        SampleOrder order = order(PARTS);
        long[] places = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 599, 6_000_000_001L, 25_769_803_783L, 25_769_803_788L};
        long[] found = new long[places.length];
        for (int i = 0; i < places.length; i++) {
            found[i] = order.place(DataCursor.START.advance(places[i], PERIOD)).sample();
        }
        assertArrayEquals(KNOWN, found);
    }

    private static final long[] KNOWN = {13, 0, 21, 4, 18, 1, 15, 6, 14, 5, 21, 7, 11, 6, 19, 8};

    @Test
    void onePartOfEverythingIsTheOrderWithoutAMixture() throws Exception {
        SampleOrder plain = SampleOrder.of(data(Optional.empty()), manifest);
        SampleOrder whole = order(List.of(new Part("", 1)));
        assertEquals(22, plain.passLength());
        for (long p = 0; p < 70; p++) {
            assertEquals(
                    plain.place(DataCursor.START.advance(p, 22)).sample(),
                    whole.place(DataCursor.START.advance(p, 1)).sample());
        }
    }

    @Test
    void weightsAndTheOrderOfPartsChangeTheOrder() throws Exception {
        List<Long> order = first(order(PARTS));
        assertNotEquals(order, first(order(List.of(new Part("code/", 2), new Part("prose/", 3), new Part("web/", 1)))));
        assertNotEquals(order, first(order(List.of(new Part("prose/", 2), new Part("code/", 3), new Part("web/", 1)))));
    }

    @Test
    void aPartWithoutASampleIsRefusedByItsName() {
        DatasetException e =
                assertThrows(DatasetException.class, () -> order(List.of(new Part("code/", 3), new Part("musik/", 1))));
        assertTrue(e.getMessage().contains("\"musik/\""), e.getMessage());
        assertTrue(e.blamesTheBytes());
    }

    @Test
    void partsThatShareDocumentsAndWeightsThatAreNoneAreRefused() {
        assertThrows(
                IllegalArgumentException.class,
                () -> new MixtureSpec(List.of(new Part("code/", 1), new Part("code/a", 1))));
        assertThrows(
                IllegalArgumentException.class, () -> new MixtureSpec(List.of(new Part("a", 1), new Part("a", 1))));
        assertThrows(IllegalArgumentException.class, () -> new Part("a", 0));
        assertThrows(IllegalArgumentException.class, () -> new MixtureSpec(List.of()));
    }

    private static List<Long> first(SampleOrder order) {
        List<Long> samples = new ArrayList<>();
        for (long p = 0; p < 24; p++) {
            samples.add(
                    order.place(DataCursor.START.advance(p, order.passLength())).sample());
        }
        return samples;
    }

    private SampleOrder order(List<Part> parts) throws DatasetException {
        return SampleOrder.of(data(Optional.of(new MixtureSpec(parts))), manifest);
    }

    private DataSpec data(Optional<MixtureSpec> mixture) {
        return new DataSpec(manifest.root(), T, 2, 2, SEED, mixture);
    }

    private static ShardEntry shard(int index, Map<String, Integer> tokens) {
        List<DocumentEntry> documents = new ArrayList<>();
        long next = 0;
        for (Map.Entry<String, Integer> document : new TreeMap<>(tokens).entrySet()) {
            documents.add(new DocumentEntry(
                    document.getKey(), next, document.getValue(), 1, Hashing.sha256("text"), Optional.empty()));
            next += document.getValue();
        }
        return new ShardEntry(index, next, Hashing.sha256("tokens"), documents);
    }
}
