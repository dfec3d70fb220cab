package org.bitwitness.kernels.vector;

import static jdk.incubator.vector.FloatVector.broadcast;
import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.EQ;
import static jdk.incubator.vector.VectorOperators.GE;
import static jdk.incubator.vector.VectorOperators.GT;
import static jdk.incubator.vector.VectorOperators.I2F;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LT;
import static jdk.incubator.vector.VectorOperators.NE;
import static jdk.incubator.vector.VectorOperators.ULT;
import static org.bitwitness.kernels.vector.Lanes.FLOATS;
import static org.bitwitness.kernels.vector.Lanes.WIDTH;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;

/**
 * The elementary functions of the profile (P5) over spans of arrays, each element exactly as if it were alone: single
 * correctly rounded binary32 operations, polynomials as Horner chains of fused multiply-adds. A NaN gives 7fc00000.
 *
 * <p>Spans are {@code count} elements from an offset; counts are whole registers, callers pad. Results may overwrite
 * arguments. tanh, sigmoid and erf run as three passes around {@link #exp} over a block of at most {@link #BLOCK}.
 */
final class VectorMath {
    /** Longest span of the functions with a work array: three arrays of it fit the first-level cache. */
    static final int BLOCK = 1024;

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

    /** {@code y = exp(x − minus)}; with +0 subtracted, exp(x). */
    static void exp(float[] x, int from, float[] y, int to, int count, float minus) {
        for (int i = 0; i < count; i += WIDTH) {
            FloatVector v = FloatVector.fromArray(FLOATS, x, from + i).sub(minus);
            FloatVector c = v.blend(-104f, v.compare(LT, -104f));
            c = c.blend(89f, c.compare(GT, 89f));
            FloatVector t = c.fma(broadcast(FLOATS, LOG2_E), broadcast(FLOATS, INTEGER_SHIFT));
            FloatVector n = t.sub(INTEGER_SHIFT);
            FloatVector r = n.fma(broadcast(FLOATS, -LN2_HIGH), c);
            r = n.fma(broadcast(FLOATS, -LN2_LOW), r);
            FloatVector q = broadcast(FLOATS, EXP_0).fma(r, broadcast(FLOATS, EXP_1));
            q = q.fma(r, broadcast(FLOATS, EXP_2))
                    .fma(r, broadcast(FLOATS, EXP_3))
                    .fma(r, broadcast(FLOATS, EXP_4));
            FloatVector p = r.mul(r).fma(q, r).add(1f);
            // t is 1.5·2^23 + n exactly, so the difference of the bit patterns is n without a conversion.
            IntVector e = t.reinterpretAsInts().sub(INTEGER_SHIFT_BITS);
            IntVector e1 = e.lanewise(ASHR, 1);
            FloatVector s1 = e1.add(127).lanewise(LSHL, 23).reinterpretAsFloats();
            FloatVector s2 = e.sub(e1).add(127).lanewise(LSHL, 23).reinterpretAsFloats();
            p.mul(s1).mul(s2).blend(Float.NaN, v.compare(NE, v)).intoArray(y, to + i);
        }
    }

    static void log(float[] x, int from, float[] y, int to, int count) {
        for (int i = 0; i < count; i += WIDTH) {
            FloatVector v = FloatVector.fromArray(FLOATS, x, from + i);
            VectorMask<Integer> small = v.reinterpretAsInts().compare(ULT, 0x00800000);
            FloatVector scaled = v.blend(v.mul(8388608f), small.cast(FLOATS));
            IntVector b = scaled.reinterpretAsInts().sub(LOG_PIVOT);
            IntVector e = b.lanewise(ASHR, 23);
            e = e.blend(e.sub(23), small);
            FloatVector f = b.and(0x7fffff).add(LOG_PIVOT).reinterpretAsFloats().sub(1f);
            FloatVector q = broadcast(FLOATS, LOG_0)
                    .fma(f, broadcast(FLOATS, LOG_1))
                    .fma(f, broadcast(FLOATS, LOG_2))
                    .fma(f, broadcast(FLOATS, LOG_3));
            q = q.fma(f, broadcast(FLOATS, LOG_4))
                    .fma(f, broadcast(FLOATS, LOG_5))
                    .fma(f, broadcast(FLOATS, LOG_6));
            q = q.fma(f, broadcast(FLOATS, LOG_7)).fma(f, broadcast(FLOATS, LOG_8));
            FloatVector r = f.mul(f).fma(q, f);
            FloatVector exponent = (FloatVector) e.convert(I2F, 0);
            r = exponent.fma(broadcast(FLOATS, LN2_LOW), r);
            r = exponent.fma(broadcast(FLOATS, LN2_HIGH), r);
            r = r.blend(Float.POSITIVE_INFINITY, v.compare(EQ, Float.POSITIVE_INFINITY));
            r = r.blend(Float.NaN, v.compare(LT, 0f));
            r = r.blend(Float.NEGATIVE_INFINITY, v.compare(EQ, 0f));
            r.blend(Float.NaN, v.compare(NE, v)).intoArray(y, to + i);
        }
    }

    /** @param work at least {@code count} long; overwritten */
    static void tanh(float[] x, int from, float[] y, int to, int count, float[] work) {
        for (int i = 0; i < count; i += WIDTH) {
            FloatVector a = FloatVector.fromArray(FLOATS, x, from + i).abs();
            FloatVector b = a.blend(10f, a.compare(GT, 10f));
            b.add(b).intoArray(work, i);
        }
        exp(work, 0, work, 0, count, 0f);
        for (int i = 0; i < count; i += WIDTH) {
            FloatVector v = FloatVector.fromArray(FLOATS, x, from + i);
            FloatVector a = v.abs();
            FloatVector s = a.mul(a);
            FloatVector p =
                    broadcast(FLOATS, TANH_0).fma(s, broadcast(FLOATS, TANH_1)).fma(s, broadcast(FLOATS, TANH_2));
            p = p.fma(s, broadcast(FLOATS, TANH_3)).fma(s, broadcast(FLOATS, TANH_4));
            FloatVector low = p.mul(s).fma(a, a);
            FloatVector e = FloatVector.fromArray(FLOATS, work, i);
            FloatVector high = broadcast(FLOATS, 1f).sub(broadcast(FLOATS, 2f).div(e.add(1f)));
            IntVector t = high.blend(low, a.compare(LT, 0.625f)).reinterpretAsInts();
            IntVector sign = v.reinterpretAsInts().and(SIGN);
            FloatVector signed = t.and(~SIGN).or(sign).reinterpretAsFloats();
            signed.blend(Float.NaN, v.compare(NE, v)).intoArray(y, to + i);
        }
    }

    /** @param work at least {@code count} long; overwritten */
    static void sigmoid(float[] x, int from, float[] y, int to, int count, float[] work) {
        for (int i = 0; i < count; i += WIDTH) {
            FloatVector.fromArray(FLOATS, x, from + i).abs().neg().intoArray(work, i);
        }
        exp(work, 0, work, 0, count, 0f);
        for (int i = 0; i < count; i += WIDTH) {
            FloatVector v = FloatVector.fromArray(FLOATS, x, from + i);
            FloatVector e = FloatVector.fromArray(FLOATS, work, i);
            FloatVector top = e.blend(1f, v.compare(GE, 0f));
            top.div(e.add(1f)).blend(Float.NaN, v.compare(NE, v)).intoArray(y, to + i);
        }
    }

    /** @param work at least {@code count} long; overwritten */
    static void erf(float[] x, int from, float[] y, int to, int count, float[] work) {
        for (int i = 0; i < count; i += WIDTH) {
            FloatVector a = FloatVector.fromArray(FLOATS, x, from + i).abs();
            FloatVector b = a.blend(4f, a.compare(GT, 4f));
            FloatVector g = broadcast(FLOATS, ERFC_0)
                    .fma(b, broadcast(FLOATS, ERFC_1))
                    .fma(b, broadcast(FLOATS, ERFC_2))
                    .fma(b, broadcast(FLOATS, ERFC_3));
            g = g.fma(b, broadcast(FLOATS, ERFC_4))
                    .fma(b, broadcast(FLOATS, ERFC_5))
                    .fma(b, broadcast(FLOATS, ERFC_6))
                    .fma(b, broadcast(FLOATS, ERFC_7));
            g.fma(b, b).neg().intoArray(work, i);
        }
        exp(work, 0, work, 0, count, 0f);
        for (int i = 0; i < count; i += WIDTH) {
            FloatVector v = FloatVector.fromArray(FLOATS, x, from + i);
            FloatVector a = v.abs();
            FloatVector s = a.mul(a);
            FloatVector p = broadcast(FLOATS, ERF_0)
                    .fma(s, broadcast(FLOATS, ERF_1))
                    .fma(s, broadcast(FLOATS, ERF_2))
                    .fma(s, broadcast(FLOATS, ERF_3));
            p = p.fma(s, broadcast(FLOATS, ERF_4))
                    .fma(s, broadcast(FLOATS, ERF_5))
                    .fma(s, broadcast(FLOATS, ERF_6));
            FloatVector low = p.fma(a, a);
            FloatVector high = broadcast(FLOATS, 1f).sub(FloatVector.fromArray(FLOATS, work, i));
            IntVector t = high.blend(low, a.compare(LT, 0.921875f)).reinterpretAsInts();
            IntVector sign = v.reinterpretAsInts().and(SIGN);
            FloatVector signed = t.and(~SIGN).or(sign).reinterpretAsFloats();
            signed.blend(Float.NaN, v.compare(NE, v)).intoArray(y, to + i);
        }
    }
}
