package org.bitwitness.kernels.vector;

import java.util.Arrays;
import org.bitwitness.kernels.vector.Product.Band;

/**
 * Products in which the causal mask removes terms. A removed term is (+0, +0). The left operand holds +0 there, which
 * times any finite number leaves a chain as it is; only when the right operand holds an infinity or a NaN must the terms
 * really be taken out, row by row.
 */
final class MaskedProducts {
    private static final int COPY_SLOT = 15;

    private MaskedProducts() {}

    /** Computes {@code p}, whose band removes terms, on the calling thread. */
    static void multiply(Scratch.Local local, Product p) {
        if (finite(p.right(), p.k(), p.n())) {
            Gemm.multiplyHere(local, p);
            return;
        }
        float[] kept = local.buffer(COPY_SLOT, Math.multiplyExact(p.k(), p.n()));
        for (int row = 0; row < p.m(); row++) {
            copyKept(p, row, kept);
            Product one = Product.of(
                            p.left().from(row, 0),
                            Matrix.rows(kept, p.n()),
                            p.result().from(row, 0),
                            1,
                            p.n(),
                            p.k())
                    .ending(p.ending());
            Gemm.multiplyHere(local, one);
        }
    }

    private static void copyKept(Product p, int row, float[] kept) {
        boolean lower = p.band() == Band.LOWER_LEFT;
        int from = lower ? 0 : Math.clamp((long) row - p.diagonal(), 0, p.k());
        int to = lower ? Math.min(p.k(), row + p.diagonal() + 1) : p.k();
        Arrays.fill(kept, 0, p.k() * p.n(), 0f);
        for (int i = from; i < to; i++) {
            Matrix source = p.right().from(i, 0);
            System.arraycopy(source.data(), source.offset(), kept, i * p.n(), p.n());
        }
    }

    private static boolean finite(Matrix m, int rows, int columns) {
        for (int i = 0; i < rows; i++) {
            int at = m.offset() + i * m.rowStride();
            if (!Elements.finite(m.data(), at, at + columns)) {
                return false;
            }
        }
        return true;
    }
}
