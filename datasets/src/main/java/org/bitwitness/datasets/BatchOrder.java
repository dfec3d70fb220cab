package org.bitwitness.datasets;

import org.bitwitness.protocol.random.Philox4x32;

/**
 * Which sample is read when. Every epoch is one permutation of all samples, computed element by element: no array of
 * indices exists, any batch is found without the ones before it, and nothing but the cursor has to be saved.
 *
 * <p>The permutation is a balanced Feistel network of eight rounds on 2h bits, 2^(2h) being the smallest such power that
 * is not below the sample count; an image outside the range is permuted again until it falls inside (cycle walking).
 * Round value: word 0 of Philox 4x32-10 with the seed as key and the counter (right half, low word of the epoch, round,
 * 0x40000001), reduced to h bits.
 */
public final class BatchOrder {
    /** Philox purpose of the data order; c3 values 0x40000000 and up are kept for it. */
    private static final int PURPOSE = 0x40000000 | 1;

    /** Philox purpose of the places of a mixture's parts in a period. */
    private static final int PERIOD_PURPOSE = 0x40000000 | 2;

    private static final int ROUNDS = 8;
    private static final int MAX_HALF_BITS = 31;

    private BatchOrder() {}

    /**
     * The sample at a position of an epoch. For a fixed seed, epoch and count this is a bijection of
     * [0, {@code sampleCount}).
     *
     * @throws IllegalArgumentException if {@code position} is not in [0, sampleCount) or there are more than 2^62 samples
     */
    public static long perm(long seed, long epoch, long position, long sampleCount) {
        return perm(new Key(seed, (int) epoch, 0, PURPOSE), position, sampleCount);
    }

    /** The same for a part of a mixture: every part has an order of its own, part 0 that of {@link #perm}. */
    static long permOfPart(long seed, int part, long epoch, long position, long sampleCount) {
        return perm(new Key(seed, (int) epoch, part << 8, PURPOSE), position, sampleCount);
    }

    /** The place among a period's samples, sorted by part, of the one that is read at {@code offset} of it. */
    static long permOfPeriod(long seed, long period, long offset, long samples) {
        int high = (int) (period >>> 32);
        return perm(new Key(seed, (int) period, high << 8, PERIOD_PURPOSE), offset, samples);
    }

    /** What a permutation depends on; {@code place} is added to the number of the round. */
    private record Key(long seed, int epoch, int place, int purpose) {}

    private static long perm(Key key, long position, long sampleCount) {
        if (position < 0 || position >= sampleCount) {
            throw new IllegalArgumentException("a position lies in [0, %d), got %d".formatted(sampleCount, position));
        }
        int halfBits = halfBits(sampleCount);
        int[] words = new int[4];
        long image = position;
        do {
            image = feistel(key, image, halfBits, words);
        } while (image >= sampleCount);
        return image;
    }

    /**
     * The samples of one micro-batch, in the order in which the worker reads them: workers by layout position, then
     * micro-batches, then sequences, counted on from the cursor.
     *
     * @param cursor of the state before the step
     * @param layoutPosition the worker's place in the layout list, from 0
     * @param sampleCount samples of an epoch
     */
    public static long[] samplesOf(
            DataCursor cursor, BatchSpec spec, int layoutPosition, int microBatch, long sampleCount) {
        if (layoutPosition < 0 || microBatch < 0 || microBatch >= spec.microBatches()) {
            throw new IllegalArgumentException(
                    "layoutPosition is not negative and microBatch lies in [0, %d), got %d, %d"
                            .formatted(spec.microBatches(), layoutPosition, microBatch));
        }
        int sequences = spec.sequencesPerMicroBatch();
        long before = ((long) layoutPosition * spec.microBatches() + microBatch) * sequences;
        long[] samples = new long[sequences];
        for (int s = 0; s < sequences; s++) {
            DataCursor at = cursor.advance(before + s, sampleCount);
            samples[s] = perm(spec.seed(), at.epoch(), at.samplePosition(), sampleCount);
        }
        return samples;
    }

    private static int halfBits(long sampleCount) {
        int bits = 64 - Long.numberOfLeadingZeros(sampleCount - 1);
        int half = Math.max(1, (bits + 1) / 2);
        if (half > MAX_HALF_BITS) {
            throw new IllegalArgumentException("at most 2^62 samples, got " + sampleCount);
        }
        return half;
    }

    private static long feistel(Key key, long value, int halfBits, int[] words) {
        int mask = (1 << halfBits) - 1;
        int left = (int) (value >>> halfBits);
        int right = (int) value & mask;
        for (int round = 0; round < ROUNDS; round++) {
            Philox4x32.block(
                    right,
                    key.epoch(),
                    key.place() + round,
                    key.purpose(),
                    (int) key.seed(),
                    (int) (key.seed() >>> 32),
                    words);
            int next = left ^ (words[0] & mask);
            left = right;
            right = next;
        }
        return ((long) left << halfBits) | right;
    }
}
