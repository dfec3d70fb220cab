package org.bitwitness.kernels.vector;

/** Cuts a range of independent outputs into pieces for the team. */
final class Pieces {
    private static final int ELEMENTS = 16_384;
    private static final int PIECES_PER_THREAD = 8;

    private Pieces() {}

    /** Computes outputs {@code [from, to)} with the memory of thread {@code worker}. */
    @FunctionalInterface
    interface Piece {
        void run(int from, int to, int worker);
    }

    /** Pieces of elements; all but the last start and end at a multiple of every register width. */
    static void ofElements(Workers workers, int count, Piece piece) {
        cut(workers, count, ELEMENTS, piece);
    }

    /** Pieces of whole rows of {@code columns} elements. */
    static void ofRows(Workers workers, int rows, int columns, Piece piece) {
        cut(workers, rows, Math.max(1, ELEMENTS / 4 / Math.max(1, columns)), piece);
    }

    private static void cut(Workers workers, int count, int least, Piece piece) {
        if (workers.threads() == 1) {
            piece.run(0, count, 0);
            return;
        }
        // Neighbours written by different threads share cache lines: as few borders as keep the team busy to the end.
        int step = Math.max(1, count / least / (workers.threads() * PIECES_PER_THREAD)) * least;
        workers.run(
                (int) (((long) count + step - 1) / step),
                (i, worker) -> piece.run(i * step, (int) Math.min(count, (long) (i + 1) * step), worker));
    }
}
