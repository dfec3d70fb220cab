package org.bitwitness.kernels.vector;

import jdk.incubator.vector.FloatVector;
import org.bitwitness.kernels.vector.Product.Band;
import org.bitwitness.kernels.vector.Product.Ending;

/**
 * Matrix products with the profile's DOT (P1) for every output: chunks of 512 terms, each a chain of fused
 * multiply-adds from +0 with k ascending, then {@code T = T + S_c} from +0.
 *
 * <p>Lanes and rows of the register tile are different outputs, so tile shape, register width and the split over
 * threads cannot change a bit.
 */
final class Gemm {
    /** Packed left floats that one task keeps in the second-level cache. */
    private static final int LEFT_BLOCK = 96 * 1024;

    private static final int COLUMN_PANELS_PER_TASK = 8;

    private Gemm() {}

    /** Splits one product over the team. */
    static void multiply(Workers workers, Scratch scratch, Product p) {
        if (workers.threads() == 1) {
            multiplyHere(scratch.of(0), p);
            return;
        }
        float[] left = scratch.left(Packing.leftSize(p.m(), p.k()));
        float[] right = scratch.right(Packing.rightSize(p.n(), p.k()));
        int rowPanels = Packing.panels(p.m(), Packing.TILE_ROWS);
        int columnPanels = Packing.panels(p.n(), Packing.TILE_COLUMNS);
        workers.run(rowPanels + columnPanels, (i, worker) -> {
            if (i < rowPanels) {
                Packing.left(p.left(), p.m(), p.k(), i, left);
            } else {
                Packing.right(p.right(), p.k(), p.n(), i - rowPanels, right);
            }
        });
        int rowsPerTask = Math.clamp(rowPanels / (4L * workers.threads()), 1, rowPanelsPerBlock(p.k()));
        int rowTasks = Packing.panels(rowPanels, rowsPerTask);
        int columnTasks = Packing.panels(columnPanels, COLUMN_PANELS_PER_TASK);
        workers.run(rowTasks * columnTasks, (i, worker) -> {
            int row = i % rowTasks * rowsPerTask;
            int rowEnd = Math.min(rowPanels, row + rowsPerTask);
            int column = i / rowTasks * COLUMN_PANELS_PER_TASK;
            int columnEnd = Math.min(columnPanels, column + COLUMN_PANELS_PER_TASK);
            block(p, new Block(row, rowEnd, column, columnEnd), left, right, scratch.of(worker));
        });
    }

    /** The whole product on the calling thread, with that thread's memory: the left operand block after block. */
    static void multiplyHere(Scratch.Local local, Product p) {
        int rowPanels = Packing.panels(p.m(), Packing.TILE_ROWS);
        int columnPanels = Packing.panels(p.n(), Packing.TILE_COLUMNS);
        int step = Math.min(rowPanels, rowPanelsPerBlock(p.k()));
        float[] left = local.left(Packing.leftSize(step * Packing.TILE_ROWS, p.k()));
        float[] right = local.right(Packing.rightSize(p.n(), p.k()));
        for (int i = 0; i < columnPanels; i++) {
            Packing.right(p.right(), p.k(), p.n(), i, right);
        }
        for (int first = 0; first < rowPanels; first += step) {
            int panels = Math.min(rowPanels - first, step);
            Product rows = p.rows(first * Packing.TILE_ROWS, panels * Packing.TILE_ROWS);
            for (int i = 0; i < panels; i++) {
                Packing.left(rows.left(), rows.m(), p.k(), i, left);
            }
            block(rows, new Block(0, panels, 0, columnPanels), left, right, local);
        }
    }

    private static int rowPanelsPerBlock(int k) {
        return Math.clamp(LEFT_BLOCK / ((long) k * Packing.TILE_ROWS), 1, 64);
    }

    /** Half-open spans of row and column panels. */
    private record Block(int rowFrom, int rowTo, int columnFrom, int columnTo) {}

    private static void block(Product p, Block block, float[] left, float[] right, Scratch.Local local) {
        for (int column = block.columnFrom; column < block.columnTo; column++) {
            for (int row = block.rowFrom; row < block.rowTo; row++) {
                int lastRow = Math.min(p.m(), (row + 1) * Packing.TILE_ROWS) - 1;
                boolean unneeded =
                        p.band() == Band.LOWER_RESULT && column * Packing.TILE_COLUMNS > lastRow + p.diagonal();
                if (!unneeded) {
                    cell(p, row, column, left, right, local);
                }
            }
        }
    }

    /** All chunks of one tile of outputs. */
    private static void cell(Product p, int row, int column, float[] left, float[] right, Scratch.Local local) {
        float[] tile = local.tile();
        if (p.ending() == Ending.GO_ON) {
            load(p, row, column, tile);
        }
        int chunks = Packing.chunks(p.k());
        for (int chunk = 0; chunk < chunks; chunk++) {
            int first = chunk * Packing.CHUNK;
            int from = Math.max(0, firstTerm(p, row) - first);
            int to = Math.min(endOfTerms(p, row) - first, Packing.CHUNK);
            int a = Packing.leftPanel(chunk, row, p.m());
            int b = Packing.rightPanel(chunk, column, p.n(), p.k());
            chains(p, Math.min(from, Math.max(to, 0)), Math.max(to, 0), left, a, right, b, tile);
            if (chunks > 1) {
                addChunk(local.total(), tile, chunk == 0);
            }
        }
        finish(p, row, column, chunks > 1 ? local.total() : tile);
    }

    private static int firstTerm(Product p, int row) {
        return p.band() == Band.UPPER_LEFT ? row * Packing.TILE_ROWS - p.diagonal() : 0;
    }

    private static int endOfTerms(Product p, int row) {
        return p.band() == Band.LOWER_LEFT ? Math.min(p.k(), (row + 1) * Packing.TILE_ROWS + p.diagonal()) : p.k();
    }

    private static void chains(
            Product p, int from, int to, float[] left, int panelA, float[] right, int panelB, float[] tile) {
        boolean byRow = p.left().columnStride() == 1;
        boolean resume = p.ending() == Ending.GO_ON;
        int a = panelA + (byRow ? from : from * Packing.TILE_ROWS);
        int b = panelB + from * Packing.TILE_COLUMNS;
        if (Packing.TWELVE_ROWS) {
            if (byRow) {
                Tile12.byRow(to - from, left, a, right, b, tile, resume);
            } else {
                Tile12.byK(to - from, left, a, right, b, tile, resume);
            }
        } else if (byRow) {
            Tile4.byRow(to - from, left, a, right, b, tile, resume);
        } else {
            Tile4.byK(to - from, left, a, right, b, tile, resume);
        }
    }

    /** {@code T = (+0 or T) + S_c} for a whole tile. */
    private static void addChunk(float[] total, float[] tile, boolean first) {
        for (int i = 0; i < Packing.TILE_ROWS * Packing.TILE_COLUMNS; i++) {
            float t = first ? 0f : total[i];
            total[i] = t + tile[i];
        }
    }

    private static void load(Product p, int rowPanel, int columnPanel, float[] tile) {
        int row = rowPanel * Packing.TILE_ROWS;
        int rows = Math.min(Packing.TILE_ROWS, p.m() - row);
        int column = columnPanel * Packing.TILE_COLUMNS;
        int columns = Math.min(Packing.TILE_COLUMNS, p.n() - column);
        for (int r = 0; r < rows; r++) {
            int from = p.result().offset() + (row + r) * p.result().rowStride() + column;
            System.arraycopy(p.result().data(), from, tile, r * Packing.TILE_COLUMNS, columns);
        }
    }

    /** Writes the cells of the tile that lie inside the matrix. Adding +0 again to a total changes nothing. */
    private static void finish(Product p, int rowPanel, int columnPanel, float[] tile) {
        int row = rowPanel * Packing.TILE_ROWS;
        int rows = Math.min(Packing.TILE_ROWS, p.m() - row);
        int column = columnPanel * Packing.TILE_COLUMNS;
        int columns = Math.min(Packing.TILE_COLUMNS, p.n() - column);
        for (int r = 0; r < rows; r++) {
            int to = p.result().offset() + (row + r) * p.result().rowStride() + column;
            finishRow(p, column, columns, tile, r * Packing.TILE_COLUMNS, to);
        }
    }

    private static void finishRow(Product p, int column, int columns, float[] tile, int from, int to) {
        float[] c = p.result().data();
        float[] bias = p.bias();
        Ending ending = p.ending();
        if (ending == Ending.GO_ON) {
            System.arraycopy(tile, from, c, to, columns);
            return;
        }
        int whole = Lanes.whole(columns);
        for (int j = 0; j < whole; j += Lanes.WIDTH) {
            FloatVector t = FloatVector.fromArray(Lanes.FLOATS, tile, from + j).add(0f);
            if (ending == Ending.BIAS) {
                t = t.add(FloatVector.fromArray(Lanes.FLOATS, bias, column + j));
            } else if (ending == Ending.ADD) {
                t = FloatVector.fromArray(Lanes.FLOATS, c, to + j).add(t);
            }
            t.intoArray(c, to + j);
        }
        for (int j = whole; j < columns; j++) {
            float t = tile[from + j] + 0f;
            if (ending == Ending.BIAS) {
                t = t + bias[column + j];
            } else if (ending == Ending.ADD) {
                t = c[to + j] + t;
            }
            c[to + j] = t;
        }
    }
}
