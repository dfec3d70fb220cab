package org.bitwitness.kernels.vector;

import static org.bitwitness.kernels.vector.Lanes.FLOATS;
import static org.bitwitness.kernels.vector.Lanes.WIDTH;

import java.util.List;
import jdk.incubator.vector.FloatVector;
import org.bitwitness.kernels.Tensor;

/** The robust combining rules over elements. */
final class Robust {
    private static final int CANONICAL_NAN = 0x7fc0_0000;

    private Robust() {}

    /**
     * Sorts each element's values with a network of minima and maxima: compared as integers whose order is that of the
     * numbers, −0 before +0 and NaN last, so that no comparison depends on the values before it.
     */
    static void trimmedMean(List<Tensor> byWorker, int trim, float[] out, int from, int to, Scratch.Local local) {
        int workers = byWorker.size();
        int[] keys = local.words(Math.multiplyExact(workers, VectorMath.BLOCK));
        float inverse = (float) (1.0 / (workers - 2 * trim));
        for (int at = from; at < to; at += VectorMath.BLOCK) {
            int count = Math.min(to - at, VectorMath.BLOCK);
            for (int w = 0; w < workers; w++) {
                keys(byWorker.get(w).data(), at, count, keys, w * VectorMath.BLOCK);
            }
            for (int round = 0; round < workers; round++) {
                for (int w = round & 1; w + 1 < workers; w += 2) {
                    order(keys, w * VectorMath.BLOCK, (w + 1) * VectorMath.BLOCK, count);
                }
            }
            for (int i = 0; i < count; i++) {
                out[at + i] = value(keys[trim * VectorMath.BLOCK + i]);
            }
            for (int w = trim + 1; w < workers - trim; w++) {
                for (int i = 0; i < count; i++) {
                    out[at + i] = out[at + i] + value(keys[w * VectorMath.BLOCK + i]);
                }
            }
            Elements.scale(out, inverse, at, at + count);
        }
    }

    private static void keys(float[] x, int from, int count, int[] keys, int into) {
        for (int i = 0; i < count; i++) {
            float v = x[from + i];
            int bits = !Float.isNaN(v) ? Float.floatToRawIntBits(v) : CANONICAL_NAN;
            keys[into + i] = bits ^ ((bits >> 31) & 0x7fff_ffff);
        }
    }

    private static float value(int key) {
        return Float.intBitsToFloat(key ^ ((key >> 31) & 0x7fff_ffff));
    }

    private static void order(int[] keys, int low, int high, int count) {
        for (int i = 0; i < count; i++) {
            int a = keys[low + i];
            int b = keys[high + i];
            keys[low + i] = Math.min(a, b);
            keys[high + i] = Math.max(a, b);
        }
    }

    /** SUMSQ128 of {@code a − b} over one segment. */
    static float squaredDistance(float[] a, float[] b, int from, int count, Scratch.Local local) {
        float[] difference = local.buffer(0, Segments.LENGTH);
        for (int i = 0; i < count; i++) {
            difference[i] = a[from + i] - b[from + i];
        }
        return local.rows().sumOfSquares(difference, 0, count);
    }

    /** {@code out = w0·x0}, then {@code out = fma(w, x, out)} term by term. */
    static void weightedSum(List<float[]> terms, float[] weights, float[] out) {
        int whole = Lanes.whole(out.length);
        for (int w = 0; w < weights.length; w++) {
            float[] x = terms.get(w);
            FloatVector weight = FloatVector.broadcast(FLOATS, weights[w]);
            for (int i = 0; i < whole; i += WIDTH) {
                FloatVector term = FloatVector.fromArray(FLOATS, x, i);
                FloatVector sum = w == 0 ? weight.mul(term) : weight.fma(term, FloatVector.fromArray(FLOATS, out, i));
                sum.intoArray(out, i);
            }
            for (int i = whole; i < out.length; i++) {
                out[i] = w == 0 ? weights[w] * x[i] : Math.fma(weights[w], x[i], out[i]);
            }
        }
    }
}
