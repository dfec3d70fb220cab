package org.bitwitness.kernels.reference;

import org.bitwitness.kernels.MicroBatch;
import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.op.CrossEntropy;

/** Softmax cross-entropy and its gradient, row by row. */
final class CrossEntropyKernel {
    private CrossEntropyKernel() {}

    static void run(CrossEntropy op, OperatorContext context) {
        int vocab = op.logits().columns();
        float[] logits = op.logits().data();
        float[] d = op.dLogits().data();
        float[] e = new float[vocab];
        int[] targets = op.targets(context.batch());
        for (int row = 0; row < op.logits().rows(); row++) {
            int at = row * vocab;
            int target = targets[row];
            if (target == MicroBatch.NO_TARGET) {
                op.losses().data()[row] = 0f;
                for (int j = 0; j < vocab; j++) {
                    d[at + j] = 0f;
                }
                continue;
            }
            float max = RowMax.of(logits, at, vocab);
            for (int j = 0; j < vocab; j++) {
                e[j] = Functions.exp(logits[at + j] - max);
            }
            float z = Lanes.sum(e, 0, vocab);
            op.losses().data()[row] = (max + Functions.log(z)) - logits[at + target];
            float rz = 1f / z;
            for (int j = 0; j < vocab; j++) {
                float oneHot = j == target ? 1f : 0f;
                d[at + j] = ((e[j] * rz) - oneHot) * context.invCount();
            }
        }
    }
}
