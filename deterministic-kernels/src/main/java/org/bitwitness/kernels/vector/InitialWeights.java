package org.bitwitness.kernels.vector;

/** Initial weights (P13): the sum of twelve 32-bit words per element, centred, scaled. */
final class InitialWeights {
    private static final int WORDS = 12;
    private static final int BLOCKS = 3;
    private static final int BATCH = 256;
    private static final long MEAN = 6L << 32;

    private InitialWeights() {}

    static void fill(PhiloxLanes random, float std, float[] out, int from, int to, Scratch.Local local) {
        for (int at = from; at < to; at += BATCH) {
            int count = Math.min(BATCH, to - at);
            int[] words = local.words(PhiloxLanes.room(BATCH * BLOCKS));
            random.words((long) at * BLOCKS, count * BLOCKS, words);
            for (int i = 0; i < count; i++) {
                long sum = -MEAN;
                for (int w = 0; w < WORDS; w++) {
                    sum += words[i * WORDS + w] & 0xffff_ffffL;
                }
                out[at + i] = ((float) sum * 0x1p-32f) * std;
            }
        }
    }
}
