package org.bitwitness.kernels.gpu;

/** Blocks of a launch, within what every card since compute capability 3.0 takes. */
public record Grid(int x, int y, int z) {
    public Grid {
        if (x < 1 || y < 1 || z < 1 || y > 65535 || z > 65535) {
            throw new IllegalArgumentException(
                    "a grid has 1 to 2147483647 x 65535 x 65535 blocks, got %d x %d x %d".formatted(x, y, z));
        }
    }

    public static Grid of(int x) {
        return new Grid(x, 1, 1);
    }

    public static Grid of(int x, int y) {
        return new Grid(x, y, 1);
    }

    public long blocks() {
        return Math.multiplyExact((long) x * y, z);
    }
}
