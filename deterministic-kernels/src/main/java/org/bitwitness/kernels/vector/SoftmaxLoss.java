package org.bitwitness.kernels.vector;

import static org.bitwitness.kernels.vector.Lanes.all;
import static org.bitwitness.kernels.vector.Lanes.load;

import java.util.Arrays;
import jdk.incubator.vector.FloatVector;
import org.bitwitness.kernels.MicroBatch;

/** Softmax cross-entropy with its gradient (P10), row by row over exactly {@code vocab} entries. */
@SuppressWarnings("ArrayRecordComponent") // a bundle of arguments, never compared
record SoftmaxLoss(float[] logits, int[] targets, int vocab, float invCount, float[] losses, float[] dLogits) {

    /** {@code dLogits} may be {@code logits}: the target's logit is read first. */
    void row(int row) {
        int at = row * vocab;
        int target = targets[row];
        if (target == MicroBatch.NO_TARGET) {
            losses[row] = 0f;
            Arrays.fill(dLogits, at, at + vocab, 0f);
            return;
        }
        float targetLogit = logits[at + target];
        float max = Rows.max(logits, at, vocab);
        exponentials(at, max);
        float z = Rows.sum(dLogits, at, vocab);
        float targetExponential = dLogits[at + target];
        float rz = 1f / z;
        probabilities(at, rz);
        dLogits[at + target] = (targetExponential * rz - 1f) * invCount;
        losses[row] = (max + VectorMath.log(all(z)).lane(0)) - targetLogit;
    }

    private void exponentials(int at, float max) {
        int end = at + vocab;
        int i = at;
        for (; i <= end - Lanes.WIDTH; i += Lanes.WIDTH) {
            VectorMath.exp(load(logits, i).sub(max)).intoArray(dLogits, i);
        }
        if (i < end) {
            FloatVector tail = VectorMath.exp(load(logits, i, end - i).sub(max));
            Lanes.store(tail, dLogits, i, end - i);
        }
    }

    /** ((e·rz) − 0)·invCount; subtracting +0 changes no value of e·rz, which is never −0. */
    private void probabilities(int at, float rz) {
        int end = at + vocab;
        int i = at;
        for (; i <= end - Lanes.WIDTH; i += Lanes.WIDTH) {
            load(dLogits, i).mul(rz).mul(invCount).intoArray(dLogits, i);
        }
        for (; i < end; i++) {
            dLogits[i] = (dLogits[i] * rz) * invCount;
        }
    }
}
