package org.bitwitness.kernels.vector;

import java.util.Arrays;
import org.bitwitness.kernels.MicroBatch;

/** Softmax cross-entropy with its gradient (P10), row by row over exactly {@code vocab} entries. */
@SuppressWarnings("ArrayRecordComponent") // a bundle of arguments, never compared
record SoftmaxLoss(float[] logits, int[] targets, int vocab, float invCount, float[] losses, float[] dLogits) {
    private static final int EXPONENTIALS = 0;
    private static final int LOGARITHM = 0;

    /** {@code dLogits} may be {@code logits}: a row is copied first. */
    void row(int row, Scratch.Local local) {
        int at = row * vocab;
        int target = targets[row];
        if (target == MicroBatch.NO_TARGET) {
            losses[row] = 0f;
            Arrays.fill(dLogits, at, at + vocab, 0f);
            return;
        }
        float[] e = local.buffer(EXPONENTIALS, Lanes.padded(vocab));
        float targetLogit = logits[at + target];
        float max = local.rows().max(logits, at, vocab);
        System.arraycopy(logits, at, e, 0, vocab);
        VectorMath.exp(e, 0, e, 0, Lanes.padded(vocab), max);
        float z = local.rows().sum(e, 0, vocab);
        losses[row] = (max + log(z, local)) - targetLogit;
        float rz = 1f / z;
        float targetProbability = e[target] * rz;
        // Where j is not the target, +0 is subtracted, which changes no e·rz: it is never −0.
        Elements.scale(e, rz, 0, vocab);
        Elements.scale(e, invCount, 0, vocab);
        e[target] = (targetProbability - 1f) * invCount;
        System.arraycopy(e, 0, dLogits, at, vocab);
    }

    private static float log(float z, Scratch.Local local) {
        float[] block = local.block(LOGARITHM);
        block[0] = z;
        VectorMath.log(block, 0, block, 0, Lanes.WIDTH);
        return block[0];
    }
}
