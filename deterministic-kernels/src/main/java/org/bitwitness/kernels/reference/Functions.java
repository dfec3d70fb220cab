package org.bitwitness.kernels.reference;

import static java.lang.Float.floatToRawIntBits;
import static java.lang.Float.intBitsToFloat;

import org.bitwitness.kernels.ScalarFunction;

/** The profile's elementary functions in float32. NaN in gives 7fc00000. */
final class Functions {
    private static final float NAN = intBitsToFloat(0x7fc00000);

    /** 1.5·2^23: adding it rounds a small float to an integer held in the low bits. */
    private static final float ROUNDER = 12582912f;

    private static final float LOG2_E = 0x1.715476p0f;
    private static final float LN2_HIGH = 0x1.62e4p-1f;
    private static final float LN2_LOW = 0x1.7f7d1cp-20f;

    private static final float[] EXP = floats(0x3ab524b0, 0x3c091cd0, 0x3d2aac5a, 0x3e2aaa49, 0x3efffffe);
    private static final float[] LOG = floats(
            0xbe03e24a, 0x3e0f3665, 0xbdf9995b, 0x3e0f6ab1, 0xbe2ace33, 0x3e4ce828, 0xbe7fff7d, 0x3eaaaa83, 0xbf000000);
    private static final float[] TANH = floats(0xbbba86e8, 0x3ca8fc77, 0xbd5c1ad3, 0x3e08837b, 0xbeaaaa99);
    private static final float[] ERF_LOW =
            floats(0x38a7b3af, 0xba530517, 0x3baa250d, 0xbcdc008d, 0x3de716b2, 0xbec093a0, 0x3e0375d4);
    private static final float[] ERF_HIGH =
            floats(0x36a5ae4e, 0xb83f2797, 0xb8501bdf, 0x3b400925, 0xbcb9bf55, 0x3dd79403, 0x3f22b856, 0x3e03a312);

    private Functions() {}

    static float apply(ScalarFunction function, float x) {
        return switch (function) {
            case EXP -> exp(x);
            case LOG -> log(x);
            case TANH -> tanh(x);
            case SIGMOID -> sigmoid(x);
            case ERF -> erf(x);
            case RSQRT -> Float.isNaN(rsqrt(x)) ? NAN : rsqrt(x);
        };
    }

    /** Range reduction by powers of two, a polynomial on [−ln2/2, ln2/2], and two exact scalings. */
    static float exp(float x) {
        if (Float.isNaN(x)) {
            return NAN;
        }
        float c = x < -104f ? -104f : x > 89f ? 89f : x;
        float t = Math.fma(c, LOG2_E, ROUNDER);
        float n = t - ROUNDER;
        float r = Math.fma(n, -LN2_HIGH, c);
        r = Math.fma(n, -LN2_LOW, r);
        float q = horner(r, EXP);
        float y = Math.fma(r * r, q, r) + 1f;
        int e = (int) n;
        int e1 = e >> 1;
        int e2 = e - e1;
        return (y * powerOfTwo(e1)) * powerOfTwo(e2);
    }

    static float log(float x) {
        if (Float.isNaN(x)) {
            return NAN;
        }
        if (x == 0f) {
            return Float.NEGATIVE_INFINITY;
        }
        if (x < 0f) {
            return NAN;
        }
        if (x == Float.POSITIVE_INFINITY) {
            return x;
        }
        int e = 0;
        float normal = x;
        if (floatToRawIntBits(x) < 0x00800000) {
            normal = x * 0x1p23f;
            e = -23;
        }
        int i = floatToRawIntBits(normal) - 0x3f2aaaab;
        e += i >> 23;
        float f = intBitsToFloat((i & 0x7fffff) + 0x3f2aaaab) - 1f;
        float q = horner(f, LOG);
        float r = Math.fma(f * f, q, f);
        r = Math.fma((float) e, LN2_LOW, r);
        return Math.fma((float) e, LN2_HIGH, r);
    }

    static float tanh(float x) {
        if (Float.isNaN(x)) {
            return NAN;
        }
        float a = Math.abs(x);
        float s = a * a;
        float p = horner(s, TANH);
        float low = Math.fma(p * s, a, a);
        float b = a < 10f ? a : 10f;
        float high = 1f - 2f / (exp(b + b) + 1f);
        return Math.copySign(a < 0.625f ? low : high, x);
    }

    static float sigmoid(float x) {
        if (Float.isNaN(x)) {
            return NAN;
        }
        float e = exp(-Math.abs(x));
        return (x >= 0f ? 1f : e) / (1f + e);
    }

    static float erf(float x) {
        if (Float.isNaN(x)) {
            return NAN;
        }
        float a = Math.abs(x);
        float s = a * a;
        float p = horner(s, ERF_LOW);
        float low = Math.fma(p, a, a);
        float b = a < 4f ? a : 4f;
        float g = horner(b, ERF_HIGH);
        float high = 1f - exp(-Math.fma(g, b, b));
        return Math.copySign(a < 0.921875f ? low : high, x);
    }

    /** Two rounded operations. */
    static float rsqrt(float x) {
        return 1f / sqrt(x);
    }

    /** Correctly rounded: the square root of a float, rounded to double and then to float, is not rounded twice wrongly. */
    static float sqrt(float x) {
        return (float) Math.sqrt((double) x);
    }

    /** q = c0; q = fma(q, x, c) for every further coefficient. */
    private static float horner(float x, float[] coefficients) {
        float q = coefficients[0];
        for (int i = 1; i < coefficients.length; i++) {
            q = Math.fma(q, x, coefficients[i]);
        }
        return q;
    }

    /** 2^e for normal results, −126 ≤ e ≤ 127. */
    private static float powerOfTwo(int e) {
        return intBitsToFloat((e + 127) << 23);
    }

    private static float[] floats(int... bits) {
        float[] out = new float[bits.length];
        for (int i = 0; i < bits.length; i++) {
            out[i] = intBitsToFloat(bits[i]);
        }
        return out;
    }
}
