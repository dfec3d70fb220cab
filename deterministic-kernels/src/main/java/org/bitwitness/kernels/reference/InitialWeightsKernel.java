package org.bitwitness.kernels.reference;

import org.bitwitness.kernels.Tensor;
import org.bitwitness.protocol.random.Philox4x32;

/** Initial weights: sums of twelve uniform words, nearly normal, exact in integers. */
final class InitialWeightsKernel {
    private static final long MEAN_OF_TWELVE = 6L << 32;

    private InitialWeightsKernel() {}

    static void fill(Tensor out, long seed, int tensorIndex, float std) {
        int[] words = new int[4];
        for (int n = 0; n < out.size(); n++) {
            long sum = 0;
            for (long block = 3L * n; block < 3L * n + 3; block++) {
                Philox4x32.block(
                        (int) block,
                        (int) (block >>> 32),
                        0,
                        0x80000000 | tensorIndex,
                        (int) seed,
                        (int) (seed >>> 32),
                        words);
                for (int word : words) {
                    sum += Integer.toUnsignedLong(word);
                }
            }
            float z = (float) (sum - MEAN_OF_TWELVE) * 0x1p-32f;
            out.data()[n] = z * std;
        }
    }
}
