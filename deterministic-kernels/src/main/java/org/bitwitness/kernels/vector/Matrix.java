package org.bitwitness.kernels.vector;

/**
 * A matrix as a view of an array: element (i, j) lies at {@code offset + i·rowStride + j·columnStride}. One of the
 * strides is 1. Transposing costs nothing.
 */
@SuppressWarnings("ArrayRecordComponent") // a view: it shares the array on purpose and is never compared
record Matrix(float[] data, int offset, int rowStride, int columnStride) {
    Matrix {
        if (rowStride != 1 && columnStride != 1) {
            throw new IllegalArgumentException("one stride must be 1, got " + rowStride + " and " + columnStride);
        }
    }

    static Matrix rows(float[] data, int offset, int rowStride) {
        return new Matrix(data, offset, rowStride, 1);
    }

    static Matrix rows(float[] data, int rowStride) {
        return new Matrix(data, 0, rowStride, 1);
    }

    Matrix transposed() {
        return new Matrix(data, offset, columnStride, rowStride);
    }

    /** The same matrix without its first {@code rows} rows and {@code columns} columns. */
    Matrix from(int rows, int columns) {
        return new Matrix(data, offset + rows * rowStride + columns * columnStride, rowStride, columnStride);
    }
}
