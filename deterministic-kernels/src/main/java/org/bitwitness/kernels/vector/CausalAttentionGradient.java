package org.bitwitness.kernels.vector;

import static org.bitwitness.kernels.vector.CausalAttention.QUERIES;
import static org.bitwitness.kernels.vector.CausalAttention.head;

import java.util.Arrays;
import java.util.Optional;
import org.bitwitness.kernels.op.Attention;
import org.bitwitness.kernels.op.AttentionGradient;
import org.bitwitness.kernels.op.AttentionShape;
import org.bitwitness.kernels.op.HeadsView;
import org.bitwitness.kernels.vector.Product.Band;
import org.bitwitness.kernels.vector.Product.Ending;

/**
 * Backward of {@link CausalAttention} (P8), one sequence and key/value head per task. Scores are drawn again from the saved
 * row maxima and sums, block after block of queries; the chains over queries stay open from block to block and close
 * every 512 queries.
 */
final class CausalAttentionGradient {
    private static final int SCORES = 2;
    private static final int SCORE_GRADIENTS = 3;
    private static final int VALUE_CHAINS = 4;
    private static final int KEY_CHAINS = 5;
    private static final int GROUP_KEYS = 6;
    private static final int GROUP_VALUES = 7;

    private CausalAttentionGradient() {}

    /** All query heads of one key/value head, ascending: its dK and dV are their sum, starting with a copy of the first. */
    static void run(AttentionGradient op, Optional<Dropout> dropout, int sequence, int keyHead, Scratch.Local local) {
        AttentionShape shape = op.forward().shape();
        int length = shape.length();
        int dim = shape.headDim();
        Matrix dk = head(op.dk(), shape, sequence, keyHead);
        Matrix dv = head(op.dv(), shape, sequence, keyHead);
        for (int member = 0; member < shape.group(); member++) {
            int head = keyHead * shape.group() + member;
            if (member == 0) {
                backwardHead(op, dropout, sequence, head, new Sums(dk, dv), local);
            } else {
                Matrix nextK = Matrix.rows(local.buffer(GROUP_KEYS, length * dim), dim);
                Matrix nextV = Matrix.rows(local.buffer(GROUP_VALUES, length * dim), dim);
                backwardHead(op, dropout, sequence, head, new Sums(nextK, nextV), local);
                addRows(dk, nextK, length, dim);
                addRows(dv, nextV, length, dim);
            }
        }
    }

    /** Where the sums over queries go, [T, D] each. */
    private record Sums(Matrix keys, Matrix values) {}

    private static void backwardHead(
            AttentionGradient op, Optional<Dropout> dropout, int sequence, int head, Sums sums, Scratch.Local local) {
        Attention forward = op.forward();
        AttentionShape shape = forward.shape();
        int length = shape.length();
        int dim = shape.headDim();
        Matrix q = head(forward.q(), shape, sequence, head);
        Matrix keys = head(forward.k(), shape, sequence, head / shape.group());
        Matrix values = head(forward.v(), shape, sequence, head / shape.group());
        Matrix dOut = head(new HeadsView(op.dOut(), 0), shape, sequence, head);
        Matrix dq = head(op.dq(), shape, sequence, head);
        Matrix keyChains = Matrix.rows(local.buffer(KEY_CHAINS, length * dim), dim);
        Matrix valueChains = Matrix.rows(local.buffer(VALUE_CHAINS, length * dim), dim);
        for (int first = 0; first < length; first += QUERIES) {
            if (first % Packing.CHUNK == 0) {
                Arrays.fill(keyChains.data(), 0, length * dim, 0f);
                Arrays.fill(valueChains.data(), 0, length * dim, 0f);
            }
            int rows = Math.min(QUERIES, length - first);
            int width = first + rows;
            int stride = Lanes.padded(width);
            Matrix p = Matrix.rows(local.buffer(SCORES, rows * stride), stride);
            Matrix ds = Matrix.rows(local.buffer(SCORE_GRADIENTS, rows * stride), stride);
            Matrix qBlock = q.from(first, 0);
            Matrix dOutBlock = dOut.from(first, 0);
            Product scores = Product.of(qBlock, keys.transposed(), p, rows, width, dim);
            Gemm.multiplyHere(local, scores.banded(Band.LOWER_RESULT, first));
            Product slopes = Product.of(dOutBlock, values.transposed(), ds, rows, width, dim);
            Gemm.multiplyHere(local, slopes.banded(Band.LOWER_RESULT, first));
            int row = (sequence * shape.heads() + head) * length + first;
            rowGradients(op, dropout, row, rows, width, dOutBlock, local);
            Product toQueries = Product.of(ds, keys, dq.from(first, 0), rows, dim, width);
            MaskedProducts.multiply(local, toQueries.banded(Band.LOWER_LEFT, first));
            Product toValues = Product.of(p.transposed(), dOutBlock, valueChains, width, dim, rows);
            MaskedProducts.multiply(
                    local, toValues.banded(Band.UPPER_LEFT, first).ending(Ending.GO_ON));
            Product toKeys = Product.of(ds.transposed(), qBlock, keyChains, width, dim, rows);
            MaskedProducts.multiply(local, toKeys.banded(Band.UPPER_LEFT, first).ending(Ending.GO_ON));
            if (width == length || width % Packing.CHUNK == 0) {
                boolean firstChunk = first < Packing.CHUNK;
                addChunk(sums.keys, keyChains, length, dim, firstChunk);
                addChunk(sums.values, valueChains, length, dim, firstChunk);
            }
        }
    }

    /** Turns the two score blocks into P (or P') and dS. {@code row} is the flat statistics row of the block's first query. */
    private static void rowGradients(
            AttentionGradient op,
            Optional<Dropout> dropout,
            int row,
            int rows,
            int width,
            Matrix dOut,
            Scratch.Local local) {
        Attention forward = op.forward();
        AttentionShape shape = forward.shape();
        int length = shape.length();
        int stride = Lanes.padded(width);
        float[] s = local.buffer(SCORES, rows * stride);
        float[] dp = local.buffer(SCORE_GRADIENTS, rows * stride);
        int sequence = row / length / shape.heads();
        Matrix out = head(new HeadsView(forward.out(), 0), shape, sequence, row / length % shape.heads())
                .from(row % length, 0);
        for (int r = 0; r < rows; r++) {
            int count = width - rows + r + 1;
            float dot = local.rows()
                    .dot(
                            dOut.data(),
                            dOut.offset() + r * dOut.rowStride(),
                            out.data(),
                            out.offset() + r * out.rowStride(),
                            shape.headDim());
            int at = r * stride;
            float max = forward.rowMax().data()[row + r];
            float rz = 1f / forward.rowSum().data()[row + r];
            AttentionRows.probabilities(s, at, count, forward.scale(), max, rz);
            if (dropout.isPresent()) {
                int[] words = local.words(Dropout.wordsRoom(length));
                int skip = dropout.get().draw((long) (row + r) * length, count, words);
                dropout.get().mask(dp, at, dp, at, count, words, skip);
                AttentionRows.scoreGradients(s, dp, at, count, dot, forward.scale());
                dropout.get().mask(s, at, s, at, count, words, skip);
            } else {
                AttentionRows.scoreGradients(s, dp, at, count, dot, forward.scale());
            }
            AttentionRows.clear(s, at + count, at + stride);
            AttentionRows.clear(dp, at + count, at + stride);
        }
    }

    /** {@code T = (+0 or T) + S_c} for every output. */
    private static void addChunk(Matrix total, Matrix chains, int rows, int columns, boolean first) {
        for (int i = 0; i < rows; i++) {
            int to = total.offset() + i * total.rowStride();
            int from = chains.offset() + i * chains.rowStride();
            for (int j = 0; j < columns; j++) {
                total.data()[to + j] = (first ? 0f : total.data()[to + j]) + chains.data()[from + j];
            }
        }
    }

    private static void addRows(Matrix sum, Matrix addend, int rows, int columns) {
        for (int i = 0; i < rows; i++) {
            int to = sum.offset() + i * sum.rowStride();
            int from = addend.offset() + i * addend.rowStride();
            for (int j = 0; j < columns; j++) {
                sum.data()[to + j] = sum.data()[to + j] + addend.data()[from + j];
            }
        }
    }
}
