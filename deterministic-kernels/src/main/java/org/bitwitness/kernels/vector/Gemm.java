package org.bitwitness.kernels.vector;

import jdk.incubator.vector.FloatVector;

/**
 * Matrix products with the profile's DOT (P1) for every output: chunks of 512 terms, each a chain of fused
 * multiply-adds from +0 with k ascending, then {@code T = T + S_c} from +0.
 *
 * <p>Lanes and rows of the register tile are different outputs, so tile shape, register width and the split over
 * threads cannot change a bit.
 */
final class Gemm {
    static final float[] NO_BIAS = {};

    /** Panels of one task along each side: the left block stays in the second-level cache. */
    private static final int PANELS_PER_TASK = 8;

    private Gemm() {}

    /** {@code result[m, n] = left[m, k] · right[k, n]}; the result is row-major with its own row distance. */
    record Product(Matrix left, Matrix right, Matrix result, int m, int n, int k) {
        Product {
            if (m < 1 || n < 1 || k < 1) {
                throw new IllegalArgumentException("need m, n, k > 0, got %d, %d, %d".formatted(m, n, k));
            }
            if (result.columnStride() != 1) {
                throw new IllegalArgumentException("the result must be row-major");
            }
        }
    }

    /** Splits one product over the team. {@code bias} is added to each finished row, or is {@link #NO_BIAS}. */
    static void multiply(Workers workers, Scratch scratch, Product p, float[] bias) {
        float[] left = scratch.left(Packing.leftSize(p.m, p.k));
        float[] right = scratch.right(Packing.rightSize(p.n, p.k));
        int rowPanels = Packing.panels(p.m, Packing.TILE_ROWS);
        int columnPanels = Packing.panels(p.n, Packing.TILE_COLUMNS);
        workers.run(rowPanels + columnPanels, (i, worker) -> {
            if (i < rowPanels) {
                Packing.left(p.left, p.m, p.k, i, left);
            } else {
                Packing.right(p.right, p.k, p.n, i - rowPanels, right);
            }
        });
        int rowsPerTask = panelsPerTask(rowPanels, workers.threads());
        int rowTasks = Packing.panels(rowPanels, rowsPerTask);
        int columnTasks = Packing.panels(columnPanels, PANELS_PER_TASK);
        workers.run(rowTasks * columnTasks, (i, worker) -> {
            int row = i % rowTasks * rowsPerTask;
            int column = i / rowTasks * PANELS_PER_TASK;
            Block block = new Block(
                    row,
                    Math.min(rowPanels, row + rowsPerTask),
                    column,
                    Math.min(columnPanels, column + PANELS_PER_TASK));
            block(p, block, left, right, bias, scratch.tile(worker));
        });
    }

    /** The whole product on the calling thread, with the packing memory of that thread. */
    static void multiplyHere(Scratch.Local local, Product p) {
        float[] left = local.left(Packing.leftSize(p.m, p.k));
        float[] right = local.right(Packing.rightSize(p.n, p.k));
        int rowPanels = Packing.panels(p.m, Packing.TILE_ROWS);
        int columnPanels = Packing.panels(p.n, Packing.TILE_COLUMNS);
        for (int i = 0; i < rowPanels; i++) {
            Packing.left(p.left, p.m, p.k, i, left);
        }
        for (int i = 0; i < columnPanels; i++) {
            Packing.right(p.right, p.k, p.n, i, right);
        }
        block(p, new Block(0, rowPanels, 0, columnPanels), left, right, NO_BIAS, local.tile());
    }

    private static int panelsPerTask(int panels, int threads) {
        return threads == 1 ? PANELS_PER_TASK : Math.clamp(panels / (4L * threads), 1, PANELS_PER_TASK);
    }

    /** Half-open spans of row and column panels. */
    private record Block(int rowFrom, int rowTo, int columnFrom, int columnTo) {}

    private static void block(Product p, Block block, float[] left, float[] right, float[] bias, float[] tile) {
        boolean byRow = p.left.columnStride() == 1;
        int chunks = Packing.chunks(p.k);
        for (int chunk = 0; chunk < chunks; chunk++) {
            int depth = Math.min(Packing.CHUNK, p.k - chunk * Packing.CHUNK);
            float[] added = chunk == chunks - 1 ? bias : NO_BIAS;
            for (int column = block.columnFrom; column < block.columnTo; column++) {
                int b = Packing.rightPanel(chunk, column, p.n, p.k);
                for (int row = block.rowFrom; row < block.rowTo; row++) {
                    int a = Packing.leftPanel(chunk, row, p.m);
                    chains(byRow, depth, left, a, right, b, tile);
                    finish(p, row, column, chunk == 0, added, tile);
                }
            }
        }
    }

    private static void chains(boolean byRow, int depth, float[] left, int a, float[] right, int b, float[] tile) {
        if (Packing.TWELVE_ROWS) {
            if (byRow) {
                Tile12.byRow(depth, left, a, right, b, tile, false);
            } else {
                Tile12.byK(depth, left, a, right, b, tile, false);
            }
        } else if (byRow) {
            Tile6.byRow(depth, left, a, right, b, tile, false);
        } else {
            Tile6.byK(depth, left, a, right, b, tile, false);
        }
    }

    /** {@code T = (+0 or T) + S_c}, then the bias if there is one, for the cells of the tile inside the matrix. */
    private static void finish(Product p, int rowPanel, int columnPanel, boolean first, float[] bias, float[] tile) {
        int row = rowPanel * Packing.TILE_ROWS;
        int rows = Math.min(Packing.TILE_ROWS, p.m - row);
        int column = columnPanel * Packing.TILE_COLUMNS;
        int columns = Math.min(Packing.TILE_COLUMNS, p.n - column);
        float[] c = p.result.data();
        for (int r = 0; r < rows; r++) {
            int to = p.result.offset() + (row + r) * p.result.rowStride() + column;
            int from = r * Packing.TILE_COLUMNS;
            int j = 0;
            for (; j <= columns - Lanes.WIDTH; j += Lanes.WIDTH) {
                FloatVector t = (first ? Lanes.zero() : Lanes.load(c, to + j)).add(Lanes.load(tile, from + j));
                if (bias.length != 0) {
                    t = t.add(Lanes.load(bias, column + j));
                }
                t.intoArray(c, to + j);
            }
            for (; j < columns; j++) {
                float t = (first ? 0f : c[to + j]) + tile[from + j];
                c[to + j] = bias.length != 0 ? t + bias[column + j] : t;
            }
        }
    }
}
