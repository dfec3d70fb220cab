package org.bitwitness.kernels.gpu;

/** Threads of a block: at most 1,024 together. */
public record Block(int x, int y, int z) {
    public static final int MOST_THREADS = 1024;

    public Block {
        if (x < 1 || y < 1 || z < 1 || x > MOST_THREADS || y > MOST_THREADS || z > 64 || x * y * z > MOST_THREADS) {
            throw new IllegalArgumentException(
                    "a block has 1 to 1024 threads, 64 along z, got %d x %d x %d".formatted(x, y, z));
        }
    }

    public static Block of(int x) {
        return new Block(x, 1, 1);
    }

    public static Block of(int x, int y) {
        return new Block(x, y, 1);
    }

    public int threads() {
        return x * y * z;
    }
}
