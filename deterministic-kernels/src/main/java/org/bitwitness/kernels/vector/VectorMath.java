package org.bitwitness.kernels.vector;

import static org.bitwitness.kernels.vector.Lanes.all;
import static org.bitwitness.kernels.vector.Lanes.floats;
import static org.bitwitness.kernels.vector.Lanes.ints;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;

/**
 * The elementary functions of the profile (P5), one result per lane, each lane exactly as if it were alone. Every
 * operation is a single correctly rounded binary32 operation; the polynomials are Horner chains of fused multiply-adds.
 * A NaN lane gives 7fc00000.
 */
final class VectorMath {
    private static final float INTEGER_SHIFT = 12582912f;
    private static final int INTEGER_SHIFT_BITS = 0x4b400000;
    private static final float LOG2_E = 0x1.715476p0f;
    private static final float LN2_HIGH = 0x1.62e4p-1f;
    private static final float LN2_LOW = 0x1.7f7d1cp-20f;
    private static final int SIGN = 0x80000000;

    private static final float EXP_0 = Float.intBitsToFloat(0x3ab524b0);
    private static final float EXP_1 = Float.intBitsToFloat(0x3c091cd0);
    private static final float EXP_2 = Float.intBitsToFloat(0x3d2aac5a);
    private static final float EXP_3 = Float.intBitsToFloat(0x3e2aaa49);
    private static final float EXP_4 = Float.intBitsToFloat(0x3efffffe);

    private static final float LOG_0 = Float.intBitsToFloat(0xbe03e24a);
    private static final float LOG_1 = Float.intBitsToFloat(0x3e0f3665);
    private static final float LOG_2 = Float.intBitsToFloat(0xbdf9995b);
    private static final float LOG_3 = Float.intBitsToFloat(0x3e0f6ab1);
    private static final float LOG_4 = Float.intBitsToFloat(0xbe2ace33);
    private static final float LOG_5 = Float.intBitsToFloat(0x3e4ce828);
    private static final float LOG_6 = Float.intBitsToFloat(0xbe7fff7d);
    private static final float LOG_7 = Float.intBitsToFloat(0x3eaaaa83);
    private static final float LOG_8 = Float.intBitsToFloat(0xbf000000);
    private static final int LOG_PIVOT = 0x3f2aaaab;

    private static final float TANH_0 = Float.intBitsToFloat(0xbbba86e8);
    private static final float TANH_1 = Float.intBitsToFloat(0x3ca8fc77);
    private static final float TANH_2 = Float.intBitsToFloat(0xbd5c1ad3);
    private static final float TANH_3 = Float.intBitsToFloat(0x3e08837b);
    private static final float TANH_4 = Float.intBitsToFloat(0xbeaaaa99);

    private static final float ERF_0 = Float.intBitsToFloat(0x38a7b3af);
    private static final float ERF_1 = Float.intBitsToFloat(0xba530517);
    private static final float ERF_2 = Float.intBitsToFloat(0x3baa250d);
    private static final float ERF_3 = Float.intBitsToFloat(0xbcdc008d);
    private static final float ERF_4 = Float.intBitsToFloat(0x3de716b2);
    private static final float ERF_5 = Float.intBitsToFloat(0xbec093a0);
    private static final float ERF_6 = Float.intBitsToFloat(0x3e0375d4);
    private static final float ERFC_0 = Float.intBitsToFloat(0x36a5ae4e);
    private static final float ERFC_1 = Float.intBitsToFloat(0xb83f2797);
    private static final float ERFC_2 = Float.intBitsToFloat(0xb8501bdf);
    private static final float ERFC_3 = Float.intBitsToFloat(0x3b400925);
    private static final float ERFC_4 = Float.intBitsToFloat(0xbcb9bf55);
    private static final float ERFC_5 = Float.intBitsToFloat(0x3dd79403);
    private static final float ERFC_6 = Float.intBitsToFloat(0x3f22b856);
    private static final float ERFC_7 = Float.intBitsToFloat(0x3e03a312);

    private VectorMath() {}

    /** {@code v > m ? v : m}; {@code FloatVector.max} would let a NaN through and order the zeros. */
    static FloatVector larger(FloatVector m, FloatVector v) {
        return m.blend(v, v.compare(VectorOperators.GT, m));
    }

    /** {@code x > limit ? limit : x}: a NaN stays. */
    private static FloatVector atMost(FloatVector x, float limit) {
        return x.blend(limit, x.compare(VectorOperators.GT, limit));
    }

    private static FloatVector plainNaNWhere(FloatVector x, FloatVector result) {
        return result.blend(Float.NaN, x.compare(VectorOperators.NE, x));
    }

    private static FloatVector copySign(FloatVector magnitude, FloatVector sign) {
        return floats(ints(magnitude).and(~SIGN).or(ints(sign).and(SIGN)));
    }

    static FloatVector exp(FloatVector x) {
        return plainNaNWhere(x, expOfAnythingButNaN(x));
    }

    /** The same as {@link #exp}, but a NaN lane is some NaN: for callers that canonicalise once at their own end. */
    private static FloatVector expOfAnythingButNaN(FloatVector x) {
        FloatVector c = atMost(x.blend(-104f, x.compare(VectorOperators.LT, -104f)), 89f);
        FloatVector t = c.fma(all(LOG2_E), all(INTEGER_SHIFT));
        FloatVector n = t.sub(INTEGER_SHIFT);
        FloatVector r = n.fma(all(-LN2_HIGH), c);
        r = n.fma(all(-LN2_LOW), r);
        FloatVector q = all(EXP_0).fma(r, all(EXP_1));
        q = q.fma(r, all(EXP_2)).fma(r, all(EXP_3)).fma(r, all(EXP_4));
        FloatVector y = r.mul(r).fma(q, r).add(1f);
        // t is 1.5·2^23 + n exactly, so the difference of the bit patterns is n without a conversion.
        IntVector e = ints(t).sub(INTEGER_SHIFT_BITS);
        IntVector e1 = e.lanewise(VectorOperators.ASHR, 1);
        return y.mul(powerOfTwo(e1)).mul(powerOfTwo(e.sub(e1)));
    }

    private static FloatVector powerOfTwo(IntVector exponent) {
        return floats(exponent.add(127).lanewise(VectorOperators.LSHL, 23));
    }

    static FloatVector log(FloatVector x) {
        VectorMask<Integer> small = ints(x).compare(VectorOperators.ULT, 0x00800000);
        FloatVector scaled = x.blend(x.mul(8388608f), Lanes.floatMask(small));
        IntVector i = ints(scaled).sub(LOG_PIVOT);
        IntVector e = i.lanewise(VectorOperators.ASHR, 23);
        e = e.blend(e.sub(23), small);
        FloatVector f = floats(i.and(0x7fffff).add(LOG_PIVOT)).sub(1f);
        FloatVector q = all(LOG_0).fma(f, all(LOG_1));
        q = q.fma(f, all(LOG_2)).fma(f, all(LOG_3)).fma(f, all(LOG_4)).fma(f, all(LOG_5));
        q = q.fma(f, all(LOG_6)).fma(f, all(LOG_7)).fma(f, all(LOG_8));
        FloatVector r = f.mul(f).fma(q, f);
        FloatVector exponent = (FloatVector) e.convert(VectorOperators.I2F, 0);
        r = exponent.fma(all(LN2_LOW), r);
        r = exponent.fma(all(LN2_HIGH), r);
        r = r.blend(Float.POSITIVE_INFINITY, x.compare(VectorOperators.EQ, Float.POSITIVE_INFINITY));
        r = r.blend(Float.NaN, x.compare(VectorOperators.LT, 0f));
        r = r.blend(Float.NEGATIVE_INFINITY, x.compare(VectorOperators.EQ, 0f));
        return plainNaNWhere(x, r);
    }

    static FloatVector tanh(FloatVector x) {
        FloatVector a = x.abs();
        FloatVector s = a.mul(a);
        FloatVector p = all(TANH_0).fma(s, all(TANH_1));
        p = p.fma(s, all(TANH_2)).fma(s, all(TANH_3)).fma(s, all(TANH_4));
        FloatVector low = p.mul(s).fma(a, a);
        FloatVector b = atMost(a, 10f);
        FloatVector high = all(1f).sub(all(2f).div(expOfAnythingButNaN(b.add(b)).add(1f)));
        FloatVector y = high.blend(low, a.compare(VectorOperators.LT, 0.625f));
        return plainNaNWhere(x, copySign(y, x));
    }

    static FloatVector sigmoid(FloatVector x) {
        FloatVector e = expOfAnythingButNaN(x.abs().neg());
        FloatVector top = e.blend(1f, x.compare(VectorOperators.GE, 0f));
        return plainNaNWhere(x, top.div(e.add(1f)));
    }

    static FloatVector erf(FloatVector x) {
        FloatVector a = x.abs();
        FloatVector s = a.mul(a);
        FloatVector p = all(ERF_0).fma(s, all(ERF_1));
        p = p.fma(s, all(ERF_2))
                .fma(s, all(ERF_3))
                .fma(s, all(ERF_4))
                .fma(s, all(ERF_5))
                .fma(s, all(ERF_6));
        FloatVector low = p.fma(a, a);
        FloatVector b = atMost(a, 4f);
        FloatVector g = all(ERFC_0).fma(b, all(ERFC_1));
        g = g.fma(b, all(ERFC_2)).fma(b, all(ERFC_3)).fma(b, all(ERFC_4)).fma(b, all(ERFC_5));
        g = g.fma(b, all(ERFC_6)).fma(b, all(ERFC_7));
        FloatVector high = all(1f).sub(expOfAnythingButNaN(g.fma(b, b).neg()));
        FloatVector y = high.blend(low, a.compare(VectorOperators.LT, 0.921875f));
        return plainNaNWhere(x, copySign(y, x));
    }
}
