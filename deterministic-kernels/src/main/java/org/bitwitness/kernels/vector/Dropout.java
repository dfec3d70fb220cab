package org.bitwitness.kernels.vector;

import static jdk.incubator.vector.VectorOperators.ULT;
import static org.bitwitness.kernels.vector.Lanes.FLOATS;
import static org.bitwitness.kernels.vector.Lanes.INTS;
import static org.bitwitness.kernels.vector.Lanes.WIDTH;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/**
 * One dropout operator in one micro-batch (P13): an element stays, times {@code scale}, when its Philox word is below the
 * threshold, unsigned; else it becomes +0. Element e is word {@code e & 3} of block {@code e >> 2}, so a mask is drawn
 * again wherever it is needed instead of being stored.
 */
record Dropout(PhiloxLanes random, int threshold, float scale) {
    private static final int BRANCH = 0;

    /** {@code out[e] = keep ? in[e]·scale : +0} for the flat elements {@code [from, to)}; in place allowed. */
    void apply(float[] in, float[] out, int from, int to, Scratch.Local local) {
        for (int at = from; at < to; at += VectorMath.BLOCK) {
            int count = Math.min(VectorMath.BLOCK, to - at);
            int[] words = local.words(wordsRoom(VectorMath.BLOCK));
            int skip = draw(at, count, words);
            mask(in, at, out, at, count, words, skip);
        }
    }

    /** {@code out = x + (keep ? branch·scale : +0)}; {@code out} may be either input. */
    void addTo(float[] x, float[] branch, float[] out, int from, int to, Scratch.Local local) {
        float[] kept = local.block(BRANCH);
        for (int at = from; at < to; at += VectorMath.BLOCK) {
            int count = Math.min(VectorMath.BLOCK, to - at);
            int[] words = local.words(wordsRoom(VectorMath.BLOCK));
            int skip = draw(at, count, words);
            mask(branch, at, kept, 0, count, words, skip);
            for (int i = 0; i < count; i++) {
                out[at + i] = x[at + i] + kept[i];
            }
        }
    }

    /** Room for {@code count} elements at any alignment, read in whole registers. */
    static int wordsRoom(int count) {
        return PhiloxLanes.room(count / 4 + 2) + WIDTH;
    }

    /** Draws the words of elements {@code [first, first + count)}; returns where the first of them lies. */
    int draw(long first, int count, int[] words) {
        int skip = (int) (first & 3);
        random.words(first >>> 2, (skip + count + 3) >> 2, words);
        return skip;
    }

    /** {@code out = keep ? in·scale : +0} for {@code count} elements with the words at {@code word}; in place allowed. */
    void mask(float[] in, int from, float[] out, int to, int count, int[] words, int word) {
        int whole = Lanes.whole(count);
        for (int i = 0; i < whole; i += WIDTH) {
            FloatVector scaled = FloatVector.fromArray(FLOATS, in, from + i).mul(scale);
            IntVector drawn = IntVector.fromArray(INTS, words, word + i);
            FloatVector.zero(FLOATS)
                    .blend(scaled, drawn.compare(ULT, threshold).cast(FLOATS))
                    .intoArray(out, to + i);
        }
        for (int i = whole; i < count; i++) {
            boolean keep = Integer.compareUnsigned(words[word + i], threshold) < 0;
            out[to + i] = keep ? in[from + i] * scale : 0f;
        }
    }
}
