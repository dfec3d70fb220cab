package org.bitwitness.kernels.vector;

import jdk.incubator.vector.FloatVector;

/**
 * Copies of both operands of a product in the order in which the register tile reads them, cut along k into the
 * profile's chunks of 512. Cells beyond the last row or column are never written nor used for an output.
 *
 * <p>Left operand: panels of {@link #TILE_ROWS} rows. A panel keeps its rows apart ({@link #ROW_STRIDE}) when k is the
 * fast index of the source and k apart when the rows are: so a panel is always a plain copy. Right operand: panels of
 * {@link #TILE_COLUMNS} columns, k after k.
 */
final class Packing {
    /** Terms per chunk of DOT (P1). */
    static final int CHUNK = 512;

    /** Distance of the rows of a left panel; off the power of two, which would map all rows to two cache sets. */
    static final int ROW_STRIDE = CHUNK + 16;

    /** AVX-512 has 32 registers, narrower x86 has 16. */
    static final boolean TWELVE_ROWS = Lanes.WIDTH == 16;

    static final int TILE_ROWS = TWELVE_ROWS ? Tile12.ROWS : Tile4.ROWS;
    static final int TILE_COLUMNS = 2 * Lanes.WIDTH;

    private static final int LEFT_PANEL = TILE_ROWS * ROW_STRIDE;

    private Packing() {}

    static int panels(int count, int size) {
        return (count + size - 1) / size;
    }

    static int chunks(int k) {
        return (k + CHUNK - 1) / CHUNK;
    }

    static int leftSize(int m, int k) {
        return Math.multiplyExact(Math.multiplyExact(panels(m, TILE_ROWS), chunks(k)), LEFT_PANEL);
    }

    static int rightSize(int n, int k) {
        return Math.multiplyExact(panels(n, TILE_COLUMNS) * TILE_COLUMNS, k);
    }

    static int leftPanel(int chunk, int panel, int m) {
        return (chunk * panels(m, TILE_ROWS) + panel) * LEFT_PANEL;
    }

    static int rightPanel(int chunk, int panel, int n, int k) {
        int depth = Math.min(CHUNK, k - chunk * CHUNK);
        return (chunk * CHUNK * panels(n, TILE_COLUMNS) + panel * depth) * TILE_COLUMNS;
    }

    /** Packs rows [panel·TILE_ROWS, …) of the m × k matrix, all chunks. */
    static void left(Matrix a, int m, int k, int panel, float[] packed) {
        int row = panel * TILE_ROWS;
        int rows = Math.min(TILE_ROWS, m - row);
        for (int chunk = 0; chunk < chunks(k); chunk++) {
            int first = chunk * CHUNK;
            int depth = Math.min(CHUNK, k - first);
            Matrix source = a.from(row, first);
            int to = leftPanel(chunk, panel, m);
            if (a.columnStride() == 1) {
                copyRows(source, rows, depth, packed, to);
            } else {
                copySteps(source.transposed(), depth, rows, packed, to, TILE_ROWS);
            }
        }
    }

    /** Packs columns [panel·TILE_COLUMNS, …) of the k × n matrix, all chunks. */
    static void right(Matrix b, int k, int n, int panel, float[] packed) {
        int column = panel * TILE_COLUMNS;
        int columns = Math.min(TILE_COLUMNS, n - column);
        for (int chunk = 0; chunk < chunks(k); chunk++) {
            int first = chunk * CHUNK;
            int depth = Math.min(CHUNK, k - first);
            Matrix source = b.from(first, column);
            int to = rightPanel(chunk, panel, n, k);
            if (b.columnStride() == 1) {
                copySteps(source, depth, columns, packed, to, TILE_COLUMNS);
            } else {
                Transpose.into(source.transposed(), columns, depth, packed, to, TILE_COLUMNS);
            }
        }
    }

    private static void copyRows(Matrix a, int rows, int depth, float[] packed, int to) {
        for (int r = 0; r < rows; r++) {
            System.arraycopy(a.data(), a.offset() + r * a.rowStride(), packed, to + r * ROW_STRIDE, depth);
        }
    }

    /**
     * Rows of {@code width} values, one after the other at distance {@code step}, copied in whole registers: what reaches
     * beyond a row is overwritten by the next one, or lies in the panel's spare room. Rows too near to the end of the
     * source array are copied value by value.
     */
    private static void copySteps(Matrix source, int count, int width, float[] packed, int to, int step) {
        float[] from = source.data();
        int at = source.offset();
        int stride = source.rowStride();
        int padded = Lanes.padded(width);
        int safe = Math.clamp(Math.floorDiv(from.length - padded - (long) at, stride) + 1, 0, count);
        for (int k = 0; k < safe; k++) {
            for (int j = 0; j < width; j += Lanes.WIDTH) {
                FloatVector.fromArray(Lanes.FLOATS, from, at + k * stride + j).intoArray(packed, to + k * step + j);
            }
        }
        for (int k = safe; k < count; k++) {
            for (int j = 0; j < width; j++) {
                packed[to + k * step + j] = from[at + k * stride + j];
            }
        }
    }
}
