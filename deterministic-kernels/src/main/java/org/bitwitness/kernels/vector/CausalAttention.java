package org.bitwitness.kernels.vector;

import java.util.Optional;
import org.bitwitness.kernels.op.Attention;
import org.bitwitness.kernels.op.AttentionShape;
import org.bitwitness.kernels.op.HeadsView;
import org.bitwitness.kernels.vector.Product.Band;

/**
 * Causal attention (P8), one sequence and head per task, in blocks of query rows: no more than one block's scores exist
 * at a time, and tiles above the diagonal are skipped.
 */
final class CausalAttention {
    /** Query rows per block; divides the chunk, so that a chain over queries breaks only between blocks. */
    static final int QUERIES = 128;

    private static final int SCORES = 2;

    private CausalAttention() {}

    /** Head {@code head} of sequence {@code sequence} as a matrix [T, D]. */
    static Matrix head(HeadsView view, AttentionShape shape, int sequence, int head) {
        int offset = Math.multiplyExact(sequence * shape.length(), view.stride()) + view.offset();
        return Matrix.rows(view.tensor().data(), offset + head * shape.headDim(), view.stride());
    }

    static void forward(Attention op, Optional<Dropout> dropout, int sequence, int head, Scratch.Local local) {
        AttentionShape shape = op.shape();
        int length = shape.length();
        int dim = shape.headDim();
        Matrix q = head(op.q(), shape, sequence, head);
        Matrix keys = head(op.k(), shape, sequence, head / shape.group()).transposed();
        Matrix values = head(op.v(), shape, sequence, head / shape.group());
        Matrix out = head(new HeadsView(op.out(), 0), shape, sequence, head);
        for (int first = 0; first < length; first += QUERIES) {
            int rows = Math.min(QUERIES, length - first);
            int width = first + rows;
            int stride = Lanes.padded(width);
            float[] s = local.buffer(SCORES, rows * stride);
            Matrix scores = Matrix.rows(s, stride);
            Gemm.multiplyHere(
                    local,
                    Product.of(q.from(first, 0), keys, scores, rows, width, dim).banded(Band.LOWER_RESULT, first));
            for (int r = 0; r < rows; r++) {
                softmax(op, dropout, (sequence * shape.heads() + head) * length + first + r, s, r * stride, local);
            }
            MaskedProducts.multiply(
                    local,
                    Product.of(scores, values, out.from(first, 0), rows, dim, width)
                            .banded(Band.LOWER_LEFT, first));
            if (dropout.isEmpty()) {
                for (int r = 0; r < rows; r++) {
                    int at = out.offset() + (first + r) * out.rowStride();
                    float z = op.rowSum().data()[(sequence * shape.heads() + head) * length + first + r];
                    Elements.divide(out.data(), z, at, at + dim);
                }
            }
        }
    }

    /** Row {@code row} = (sequence·H + head)·T + i of the scores at {@code at} becomes e, or P' with dropout. */
    private static void softmax(
            Attention op, Optional<Dropout> dropout, int row, float[] s, int at, Scratch.Local local) {
        int length = op.shape().length();
        int query = row % length;
        int count = query + 1;
        int width = Math.min(length, (query / QUERIES + 1) * QUERIES);
        float max = AttentionRows.scaleAndMax(s, at, count, op.scale(), local.rows());
        float z = AttentionRows.exponentials(s, at, count, width, max, local.rows());
        op.rowMax().data()[row] = max;
        op.rowSum().data()[row] = z;
        if (dropout.isPresent()) {
            int[] words = local.words(Dropout.wordsRoom(length));
            int skip = dropout.get().draw((long) row * length, count, words);
            Elements.scale(s, 1f / z, at, at + count);
            dropout.get().mask(s, at, s, at, count, words, skip);
        }
    }
}
