package org.bitwitness.kernels.vector;

/**
 * One matrix product: {@code result[m, n] = left[m, k] · right[k, n]}, what of it is absent, and how each output ends.
 *
 * @param left m × k
 * @param right k × n
 * @param result row-major, m × n; aliases neither operand
 * @param band which outputs or terms the causal mask removes; row r of this product is row {@code r + diagonal} of the
 *     square it was cut from
 * @param ending what happens to the finished chain
 * @param bias [n], read only with {@link Ending#BIAS}
 */
@SuppressWarnings("ArrayRecordComponent") // a view: it shares the array on purpose and is never compared
record Product(
        Matrix left,
        Matrix right,
        Matrix result,
        int m,
        int n,
        int k,
        Band band,
        int diagonal,
        Ending ending,
        float[] bias) {

    private static final float[] NO_BIAS = {};

    /** What a causal mask leaves of a product. */
    enum Band {
        FULL,
        /** Outputs right of the diagonal are not needed: whole tiles of them may be left unwritten. */
        LOWER_RESULT,
        /** {@code left(r, j)} is +0 for j > r + diagonal: those terms may be skipped. */
        LOWER_LEFT,
        /** {@code left(r, j)} is +0 for j < r − diagonal: those terms may be skipped. */
        UPPER_LEFT
    }

    /** What an output becomes, once its chains are done; T is the DOT of the profile. */
    enum Ending {
        /** T. */
        STORE,
        /** T + bias. */
        BIAS,
        /** What was there + T. */
        ADD,
        /** The raw chain of one chunk, going on from what is there, without {@code +0 +}. */
        GO_ON
    }

    Product {
        if (m < 1 || n < 1 || k < 1) {
            throw new IllegalArgumentException("need m, n, k > 0, got %d, %d, %d".formatted(m, n, k));
        }
        if (result.columnStride() != 1) {
            throw new IllegalArgumentException("the result must be row-major");
        }
        if (ending == Ending.GO_ON && k > Packing.CHUNK) {
            throw new IllegalArgumentException("a raw chain is at most one chunk, got " + k + " terms");
        }
        if (ending == Ending.BIAS && bias.length < n) {
            throw new IllegalArgumentException("the bias should have %d elements, has %d".formatted(n, bias.length));
        }
    }

    static Product of(Matrix left, Matrix right, Matrix result, int m, int n, int k) {
        return new Product(left, right, result, m, n, k, Band.FULL, 0, Ending.STORE, NO_BIAS);
    }

    Product banded(Band kept, int shift) {
        return new Product(left, right, result, m, n, k, kept, shift, ending, bias);
    }

    /** The rows from {@code first}, at most {@code count}. */
    Product rows(int first, int count) {
        int rows = Math.min(m - first, count);
        return new Product(
                left.from(first, 0),
                right,
                result.from(first, 0),
                rows,
                n,
                k,
                band,
                diagonal + shift(first),
                ending,
                bias);
    }

    /** Row 0 of a cut is a row further down the square; for UPPER_LEFT the diagonal counts the other way. */
    private int shift(int rows) {
        return band == Band.UPPER_LEFT ? -rows : rows;
    }

    Product ending(Ending last) {
        return new Product(left, right, result, m, n, k, band, diagonal, last, bias);
    }

    Product plus(float[] addedBias) {
        return new Product(left, right, result, m, n, k, band, diagonal, Ending.BIAS, addedBias);
    }
}
