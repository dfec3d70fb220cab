package org.bitwitness.kernels.vector;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * The register width of this machine, chosen once. It decides speed only: every kernel of this package gives the same
 * bits on 4, 8 and 16 lanes, because sums run over the 128 logical lanes of the profile or along one output's own chain.
 *
 * <p>A species wider than the registers is emulated on the heap and a hundred times slower, so the width follows the
 * running JVM ({@code -XX:UseAVX} included).
 *
 * <p>How kernels are written here: a loop over arrays that calls the Vector API directly. A helper that takes or returns
 * a vector is compiled on its own before the loop is, is then too big to be inlined, and its vectors go over the heap. So
 * longer formulas are cut into passes over blocks that stay in the first-level cache, which also keeps each pass small
 * enough to compile in milliseconds.
 */
final class Lanes {
    /** Float lanes: 4, 8 or 16. */
    static final VectorSpecies<Float> FLOATS = widestOfThisMachine();

    static final VectorSpecies<Integer> INTS = VectorSpecies.of(int.class, FLOATS.vectorShape());
    static final VectorSpecies<Long> LONGS = VectorSpecies.of(long.class, FLOATS.vectorShape());

    /** How many floats one register holds. */
    static final int WIDTH = FLOATS.length();

    private Lanes() {}

    private static VectorSpecies<Float> widestOfThisMachine() {
        int bits = FloatVector.SPECIES_PREFERRED.vectorBitSize();
        if (bits >= 512) {
            return FloatVector.SPECIES_512;
        }
        return bits >= 256 ? FloatVector.SPECIES_256 : FloatVector.SPECIES_128;
    }

    /** {@code count} rounded down to whole registers. */
    static int whole(int count) {
        return count & -WIDTH;
    }

    /** {@code count} rounded up to whole registers. */
    static int padded(int count) {
        return Math.addExact(count, WIDTH - 1) & -WIDTH;
    }
}
