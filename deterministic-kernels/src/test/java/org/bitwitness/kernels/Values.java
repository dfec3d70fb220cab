package org.bitwitness.kernels;

import java.util.SplittableRandom;

/** Kinds of float data that have caught kernels out. */
enum Values {
    /** About N(0, 1). */
    ORDINARY,
    /** Large and small magnitudes that cancel. */
    CANCELLING,
    /** Magnitudes over a wide range: one term decides a sum, so how it was rounded shows. */
    STEEP,
    /** Subnormals and products that underflow. */
    TINY,
    /** Nothing but subnormals. */
    SUBNORMAL,
    /** Positive and so small that every product is +0; {@link OperatorCase} makes a first tensor negative. */
    VANISHING,
    /** Near the largest float: sums and products overflow. */
    HUGE,
    /** Ordinary values with ±0, subnormals, ±max, ±infinity and NaN strewn in. */
    SPECIAL,
    /** Signed zeros only. */
    ZEROS;

    private static final float[] SPECIALS = {
        0f,
        -0f,
        Float.MIN_VALUE,
        -Float.MIN_VALUE,
        Math.nextDown(Float.MIN_NORMAL),
        Float.MIN_NORMAL,
        Float.MAX_VALUE,
        -Float.MAX_VALUE,
        Float.POSITIVE_INFINITY,
        Float.NEGATIVE_INFINITY,
        Float.NaN,
        1f,
        -1f,
        88.7f,
        -104f
    };

    float next(SplittableRandom random) {
        return switch (this) {
            case ORDINARY -> normal(random);
            case CANCELLING -> normal(random) * (random.nextInt(3) == 0 ? 1e6f : random.nextInt(2) == 0 ? 1f : 1e-4f);
            case STEEP -> Math.scalb(normal(random), random.nextInt(-24, 13));
            case TINY -> normal(random) * (random.nextInt(2) == 0 ? 0x1p-130f : 0x1p-70f);
            case SUBNORMAL -> Float.intBitsToFloat(random.nextInt() & 0x807f_ffff);
            case VANISHING -> Math.scalb(Math.abs(normal(random)), -100);
            case HUGE -> normal(random) * (random.nextInt(2) == 0 ? 0x1p120f : 0x1p63f);
            case SPECIAL -> random.nextInt(8) == 0 ? SPECIALS[random.nextInt(SPECIALS.length)] : normal(random);
            case ZEROS -> random.nextBoolean() ? 0f : -0f;
        };
    }

    float[] array(SplittableRandom random, int size) {
        float[] out = new float[size];
        for (int i = 0; i < size; i++) {
            out[i] = next(random);
        }
        return out;
    }

    private static float normal(SplittableRandom random) {
        float sum = 0;
        for (int i = 0; i < 12; i++) {
            sum += (float) random.nextDouble();
        }
        return sum - 6;
    }
}
