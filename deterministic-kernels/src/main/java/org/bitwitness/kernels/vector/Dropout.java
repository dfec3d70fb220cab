package org.bitwitness.kernels.vector;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;

/**
 * One dropout operator in one micro-batch (P13): an element stays, times {@code scale}, when its Philox word is below the
 * threshold, unsigned; else it becomes +0. Element e is word {@code e & 3} of block {@code e >> 2}, so a mask is drawn
 * again wherever it is needed instead of being stored.
 */
record Dropout(PhiloxLanes random, int threshold, float scale) {
    /** Elements whose words are drawn at once. */
    private static final int BATCH = 1024;

    /** {@code out[from + i] = keep ? in[from + i]·scale : +0} for the flat elements {@code [from, to)}; in place allowed. */
    void apply(float[] in, float[] out, int from, int to, Scratch.Local local) {
        for (int at = from; at < to; at += BATCH) {
            int count = Math.min(BATCH, to - at);
            int[] words = local.words(wordsRoom(BATCH));
            int skip = draw(at, count, words);
            int i = 0;
            for (; i <= count - Lanes.WIDTH; i += Lanes.WIDTH) {
                kept(Lanes.load(in, at + i), words, skip + i).intoArray(out, at + i);
            }
            for (; i < count; i++) {
                out[at + i] = kept(in[at + i], words[skip + i]);
            }
        }
    }

    /** {@code out = x + (keep ? branch·scale : +0)}; {@code out} may be either input. */
    void addTo(float[] x, float[] branch, float[] out, int from, int to, Scratch.Local local) {
        for (int at = from; at < to; at += BATCH) {
            int count = Math.min(BATCH, to - at);
            int[] words = local.words(wordsRoom(BATCH));
            int skip = draw(at, count, words);
            int i = 0;
            for (; i <= count - Lanes.WIDTH; i += Lanes.WIDTH) {
                FloatVector y = kept(Lanes.load(branch, at + i), words, skip + i);
                Lanes.load(x, at + i).add(y).intoArray(out, at + i);
            }
            for (; i < count; i++) {
                out[at + i] = x[at + i] + kept(branch[at + i], words[skip + i]);
            }
        }
    }

    /** Room for {@code count} elements at any alignment, read in whole registers. */
    static int wordsRoom(int count) {
        return PhiloxLanes.room(count / 4 + 2) + Lanes.WIDTH;
    }

    /** Draws the words of elements {@code [first, first + count)}; returns where the first of them lies. */
    int draw(long first, int count, int[] words) {
        int skip = (int) (first & 3);
        random.words(first >>> 2, (skip + count + 3) >> 2, words);
        return skip;
    }

    /** {@code keep ? x·scale : +0} with the words at {@code at}. */
    FloatVector kept(FloatVector x, int[] words, int at) {
        IntVector word = IntVector.fromArray(Lanes.INTS, words, at);
        VectorMask<Integer> keep = word.compare(VectorOperators.ULT, threshold);
        return Lanes.zero().blend(x.mul(scale), Lanes.floatMask(keep));
    }

    private float kept(float x, int word) {
        return Integer.compareUnsigned(word, threshold) < 0 ? x * scale : 0f;
    }
}
