package org.bitwitness.kernels.reference;

import java.util.Arrays;
import org.bitwitness.kernels.MicroBatch;
import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.op.Embedding;
import org.bitwitness.kernels.op.EmbeddingGradient;

/** Token and position embedding, forward and backward. */
final class EmbeddingKernel {
    private EmbeddingKernel() {}

    static void forward(Embedding op, OperatorContext context) {
        MicroBatch batch = context.batch();
        DropoutMask mask = new DropoutMask(op.dropout(), context);
        int width = op.tokens().columns();
        float[] tokens = op.tokens().data();
        float[] out = op.out().data();
        for (int n = 0; n < batch.tokens(); n++) {
            int position = n % batch.length();
            for (int c = 0; c < width; c++) {
                float x = tokens[batch.ids()[n] * width + c];
                if (op.positions().isPresent()) {
                    x = x + op.positions().get().data()[position * width + c];
                }
                out[n * width + c] = mask.apply((long) n * width + c, x);
            }
        }
    }

    static void backward(EmbeddingGradient op, OperatorContext context) {
        MicroBatch batch = context.batch();
        int width = op.dTokens().columns();
        float[] d = op.dOut().data().clone();
        DropoutMask mask = new DropoutMask(op.dropout(), context);
        for (int i = 0; i < d.length; i++) {
            d[i] = mask.apply(i, d[i]);
        }
        float[] byToken = oneHotDot(batch.ids(), d, op.dTokens().rows(), width);
        float[] dTokens = op.dTokens().data();
        for (int i = 0; i < dTokens.length; i++) {
            dTokens[i] = op.add() ? dTokens[i] + byToken[i] : byToken[i];
        }
        if (op.dPositions().isPresent()) {
            int[] positions = new int[batch.tokens()];
            Arrays.setAll(positions, n -> n % batch.length());
            float[] byPosition = oneHotDot(positions, d, op.dPositions().get().rows(), width);
            System.arraycopy(byPosition, 0, op.dPositions().get().data(), 0, byPosition.length);
        }
    }

    /** Row r is the DOT over the flat tokens n with index[n] = r of 1·d[n]; all other terms are absent. */
    private static float[] oneHotDot(int[] index, float[] d, int rows, int width) {
        float[] out = new float[rows * width];
        for (int c = 0; c < width; c++) {
            Dot[] dots = new Dot[rows];
            Arrays.setAll(dots, r -> new Dot());
            for (int n = 0; n < index.length; n++) {
                dots[index[n]].add(n, 1f, d[n * width + c]);
            }
            for (int r = 0; r < rows; r++) {
                out[r * width + c] = dots[r].value();
            }
        }
        return out;
    }
}
