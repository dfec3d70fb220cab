package org.bitwitness.datasets;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BatchOrderTest {
    private static final long SEED = 0x5EED_0000_0000_0007L;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 15, 16, 17, 63, 64, 65, 1000, 4095, 4096, 4097, 65_537})
    void everyEpochIsAPermutationOfAllSamples(int sampleCount) {
        for (long epoch = 0; epoch < 3; epoch++) {
            BitSet seen = new BitSet(sampleCount);
            for (long position = 0; position < sampleCount; position++) {
                long sample = BatchOrder.perm(SEED, epoch, position, sampleCount);
                assertTrue(sample >= 0 && sample < sampleCount, "sample " + sample);
                seen.set((int) sample);
            }
            assertEquals(sampleCount, seen.cardinality(), "seed " + SEED + " epoch " + epoch);
        }
    }

    @Test
    void hugeSampleCountsNeedNoArray() {
        long sampleCount = 1_000_000_000_000L;
        long a = BatchOrder.perm(SEED, 0, sampleCount - 1, sampleCount);
        long b = BatchOrder.perm(SEED, 0, 0, sampleCount);
        assertTrue(a >= 0 && a < sampleCount && b >= 0 && b < sampleCount);
        assertNotEquals(a, b);
        assertTrue(BatchOrder.perm(SEED, 0, 0, 1L << 62) >= 0);
        assertThrows(IllegalArgumentException.class, () -> BatchOrder.perm(SEED, 0, 0, (1L << 62) + 1));
    }

    @Test
    void seedAndEpochChangeTheOrder() {
        long[] order = order(SEED, 0, 64);
        assertNotEquals(List.of(boxed(order)), List.of(boxed(order(SEED, 1, 64))));
        assertNotEquals(List.of(boxed(order)), List.of(boxed(order(SEED + 1, 0, 64))));
        assertNotEquals(List.of(boxed(order)), List.of(boxed(order(SEED ^ (1L << 40), 0, 64))));
    }

    /** Values of a separate program in Python, written from the definition; runs were trained in this order. */
    @Test
    void theOrderIsFixedForEver() {
        assertArrayEquals(KNOWN_ORDER, order(7, 0, 16));
        assertEquals(799_896_419_838L, BatchOrder.perm(SEED, 3, 123_456_789, 1_000_000_000_000L));
    }

    private static final long[] KNOWN_ORDER = {2, 0, 5, 13, 6, 15, 3, 11, 12, 7, 10, 9, 4, 1, 14, 8};

    @Test
    void aPositionOutsideTheEpochIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> BatchOrder.perm(SEED, 0, 16, 16));
        assertThrows(IllegalArgumentException.class, () -> BatchOrder.perm(SEED, 0, -1, 16));
    }

    /** Two workers, 16 shuffled samples, stopped inside epoch 1 and at its boundary, gone on from the cursor alone. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
    void resumingInAnEpochReadsTheRestOfItOnce(int stopAfterSteps) {
        BatchSpec spec = new BatchSpec(SEED, 8, 1, 2);
        List<Long> uninterrupted = read(DataCursor.START, spec, 2, 12, 16);
        DataCursor cursor = DataCursor.START;
        List<Long> resumed = new ArrayList<>(read(cursor, spec, 2, stopAfterSteps, 16));
        cursor = cursor.advance(stopAfterSteps * spec.samplesPerStep(2), 16);
        resumed.addAll(read(new DataCursor(cursor.epoch(), cursor.samplePosition()), spec, 2, 12 - stopAfterSteps, 16));
        assertEquals(uninterrupted, resumed);
        assertEquals(16, uninterrupted.subList(0, 16).stream().distinct().count());
        assertEquals(16, uninterrupted.subList(16, 32).stream().distinct().count());
        assertNotEquals(uninterrupted.subList(0, 16), uninterrupted.subList(16, 32));
    }

    /** Stopped after 5 of 12, gone on with one worker instead of two: the sixth follows, nothing twice. */
    @Test
    void aChangeOfWorkersNeitherRepeatsNorSkipsASample() {
        BatchSpec spec = new BatchSpec(SEED, 8, 1, 1);
        List<Long> wanted = LongStream.range(0, 12)
                .map(p -> BatchOrder.perm(SEED, 0, p, 12))
                .boxed()
                .toList();
        List<Long> read = new ArrayList<>(read(DataCursor.START, spec, 5, 1, 12));
        DataCursor after = DataCursor.START.advance(spec.samplesPerStep(5), 12);
        read.addAll(read(after, spec, 2, 2, 12));
        after = after.advance(2 * spec.samplesPerStep(2), 12);
        read.addAll(read(after, spec, 1, 3, 12));
        assertEquals(wanted, read);
    }

    /** The planted fault: a resume that keeps the position but loses the epoch repeats samples of epoch 0. */
    @Test
    void losingTheEpochOnResumeIsSeen() {
        BatchSpec spec = new BatchSpec(SEED, 8, 1, 2);
        DataCursor inEpoch1 = DataCursor.START.advance(24, 16);
        assertEquals(new DataCursor(1, 8), inEpoch1);
        assertNotEquals(read(inEpoch1, spec, 2, 2, 16), read(new DataCursor(0, 8), spec, 2, 2, 16));
    }

    @Test
    void aCursorOfAnotherDatasetIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> new DataCursor(0, 16).advance(1, 16));
    }

    @Test
    void batchesWrapIntoTheNextEpoch() {
        BatchSpec spec = new BatchSpec(SEED, 8, 1, 4);
        long[] samples = BatchOrder.samplesOf(new DataCursor(0, 3), spec, 0, 0, 5);
        assertArrayEquals(
                new long[] {
                    BatchOrder.perm(SEED, 0, 3, 5),
                    BatchOrder.perm(SEED, 0, 4, 5),
                    BatchOrder.perm(SEED, 1, 0, 5),
                    BatchOrder.perm(SEED, 1, 1, 5)
                },
                samples);
    }

    private static List<Long> read(DataCursor from, BatchSpec spec, int workers, int steps, long sampleCount) {
        List<Long> read = new ArrayList<>();
        DataCursor cursor = from;
        for (int step = 0; step < steps; step++) {
            for (int w = 0; w < workers; w++) {
                for (int b = 0; b < spec.microBatches(); b++) {
                    for (long sample : BatchOrder.samplesOf(cursor, spec, w, b, sampleCount)) {
                        read.add(sample);
                    }
                }
            }
            cursor = cursor.advance(spec.samplesPerStep(workers), sampleCount);
        }
        return read;
    }

    private static long[] order(long seed, long epoch, int count) {
        return LongStream.range(0, count)
                .map(p -> BatchOrder.perm(seed, epoch, p, count))
                .toArray();
    }

    private static Long[] boxed(long[] values) {
        return LongStream.of(values).boxed().toArray(Long[]::new);
    }
}
