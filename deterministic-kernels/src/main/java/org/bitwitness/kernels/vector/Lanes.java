package org.bitwitness.kernels.vector;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * The register width of this machine, chosen once. It decides speed only: every kernel of this package gives the same
 * bits on 4, 8 and 16 lanes, because sums run over the 128 logical lanes of the profile or along one output's own chain.
 *
 * <p>A species wider than the registers is emulated on the heap and a hundred times slower, so the width follows the
 * running JVM ({@code -XX:UseAVX} included).
 */
final class Lanes {
    /** Float lanes: 4, 8 or 16. */
    static final VectorSpecies<Float> FLOATS = widestOfThisMachine();

    static final VectorSpecies<Integer> INTS = VectorSpecies.of(int.class, FLOATS.vectorShape());
    static final VectorSpecies<Long> LONGS = VectorSpecies.of(long.class, FLOATS.vectorShape());

    /** How many floats one register holds. */
    static final int WIDTH = FLOATS.length();

    private static final VectorShuffle<Float> BY_8 = rotation(8);
    private static final VectorShuffle<Float> BY_4 = rotation(4);
    private static final VectorShuffle<Float> BY_2 = rotation(2);
    private static final VectorShuffle<Float> BY_1 = rotation(1);

    private Lanes() {}

    private static VectorSpecies<Float> widestOfThisMachine() {
        int bits = FloatVector.SPECIES_PREFERRED.vectorBitSize();
        if (bits >= 512) {
            return FloatVector.SPECIES_512;
        }
        return bits >= 256 ? FloatVector.SPECIES_256 : FloatVector.SPECIES_128;
    }

    private static VectorShuffle<Float> rotation(int by) {
        return VectorShuffle.fromOp(FLOATS, lane -> (lane + by) & (WIDTH - 1));
    }

    static FloatVector zero() {
        return FloatVector.zero(FLOATS);
    }

    static FloatVector all(float value) {
        return FloatVector.broadcast(FLOATS, value);
    }

    static FloatVector load(float[] from, int offset) {
        return FloatVector.fromArray(FLOATS, from, offset);
    }

    /** The first {@code count} lanes from memory, +0 in the others; reads nothing beyond them. */
    static FloatVector load(float[] from, int offset, int count) {
        return FloatVector.fromArray(FLOATS, from, offset, FLOATS.indexInRange(0, count));
    }

    static void store(FloatVector value, float[] to, int offset, int count) {
        value.intoArray(to, offset, FLOATS.indexInRange(0, count));
    }

    static IntVector ints(FloatVector bits) {
        return bits.reinterpretAsInts();
    }

    static FloatVector floats(IntVector bits) {
        return bits.reinterpretAsFloats();
    }

    static VectorMask<Float> floatMask(VectorMask<Integer> mask) {
        return mask.cast(FLOATS);
    }

    static LongVector longs(long value) {
        return LongVector.broadcast(LONGS, value);
    }

    /** The last levels of the profile's tree, s_l + s_(l+w) for w = WIDTH/2 … 1, without the closing {@code +0 +}. */
    static float fold(FloatVector lanes) {
        FloatVector s = lanes;
        if (WIDTH >= 16) {
            s = s.add(s.rearrange(BY_8));
        }
        if (WIDTH >= 8) {
            s = s.add(s.rearrange(BY_4));
        }
        s = s.add(s.rearrange(BY_2));
        s = s.add(s.rearrange(BY_1));
        return s.lane(0);
    }

    /** The largest lane by {@code v > m ? v : m}; no lane may be NaN. */
    static float foldMax(FloatVector lanes) {
        FloatVector m = lanes;
        if (WIDTH >= 16) {
            m = VectorMath.larger(m, m.rearrange(BY_8));
        }
        if (WIDTH >= 8) {
            m = VectorMath.larger(m, m.rearrange(BY_4));
        }
        m = VectorMath.larger(m, m.rearrange(BY_2));
        m = VectorMath.larger(m, m.rearrange(BY_1));
        return m.lane(0);
    }
}
