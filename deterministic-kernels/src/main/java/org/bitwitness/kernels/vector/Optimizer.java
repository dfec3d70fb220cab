package org.bitwitness.kernels.vector;

import static org.bitwitness.kernels.vector.Lanes.FLOATS;
import static org.bitwitness.kernels.vector.Lanes.INTS;
import static org.bitwitness.kernels.vector.Lanes.WIDTH;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import org.bitwitness.kernels.AdamWConstants;
import org.bitwitness.kernels.AdamWSlot;

/** AdamW (P11) on one parameter, in place. */
@SuppressWarnings("ArrayRecordComponent") // a bundle of arguments, never compared
record Optimizer(float[] w, float[] m, float[] v, float[] gradient, float decay, AdamWConstants c) {
    private static final int MAGNITUDE = 0x7fffffff;
    private static final int EXPONENT = 0x7f800000;
    private static final int EXPONENT_STEP = 0x00800000;

    static Optimizer of(AdamWSlot slot, AdamWConstants constants) {
        return new Optimizer(
                slot.parameter().data(),
                slot.m().data(),
                slot.v().data(),
                slot.gradient().data(),
                slot.decays() ? constants.decay() : 1f,
                constants);
    }

    /** The largest |w|, |m|, v and |gradient|; NaN or infinite if an element is, NaN for a v with the sign bit. */
    record Largest(float w, float m, float v, float gradient) {
        static final Largest NOTHING = new Largest(0, 0, 0, 0);

        /** Math.max lets NaN win. */
        Largest and(Largest other) {
            return new Largest(
                    Math.max(w, other.w),
                    Math.max(m, other.m),
                    Math.max(v, other.v),
                    Math.max(gradient, other.gradient));
        }
    }

    /** Of elements {@code [from, to)}. As integers, magnitudes have their own order, with NaN on top. */
    Largest largest(int from, int to) {
        IntVector mostW = IntVector.zero(INTS);
        IntVector mostM = mostW;
        IntVector mostV = mostW;
        IntVector mostG = mostW;
        IntVector signs = mostW;
        int whole = from + Lanes.whole(to - from);
        for (int i = from; i < whole; i += WIDTH) {
            IntVector bitsV = FloatVector.fromArray(FLOATS, v, i).reinterpretAsInts();
            mostW = mostW.max(
                    FloatVector.fromArray(FLOATS, w, i).reinterpretAsInts().and(MAGNITUDE));
            mostM = mostM.max(
                    FloatVector.fromArray(FLOATS, m, i).reinterpretAsInts().and(MAGNITUDE));
            mostG = mostG.max(FloatVector.fromArray(FLOATS, gradient, i)
                    .reinterpretAsInts()
                    .and(MAGNITUDE));
            mostV = mostV.max(bitsV);
            signs = signs.or(bitsV);
        }
        boolean negative = signs.compare(VectorOperators.LT, 0).anyTrue();
        Largest most = new Largest(
                largestLane(mostW), largestLane(mostM), negative ? Float.NaN : largestLane(mostV), largestLane(mostG));
        for (int i = whole; i < to; i++) {
            boolean signed = Float.floatToRawIntBits(v[i]) < 0;
            most = most.and(
                    new Largest(Math.abs(w[i]), Math.abs(m[i]), signed ? Float.NaN : v[i], Math.abs(gradient[i])));
        }
        return most;
    }

    private static float largestLane(IntVector bits) {
        return Float.intBitsToFloat(bits.reduceLanes(VectorOperators.MAX));
    }

    /**
     * Updates elements {@code [from, to)}.
     *
     * @return whether what it wrote is finite. A moment that is not shows in the parameter or in {@code v}.
     */
    boolean update(int from, int to) {
        FloatVector b1 = FloatVector.broadcast(FLOATS, c.beta1());
        FloatVector b2 = FloatVector.broadcast(FLOATS, c.beta2());
        FloatVector minusStep = FloatVector.broadcast(FLOATS, -c.step());
        // An exponent of all ones, and only that, carries into the sign.
        IntVector carries = IntVector.zero(INTS);
        int whole = from + Lanes.whole(to - from);
        for (int i = from; i < whole; i += WIDTH) {
            FloatVector g = FloatVector.fromArray(FLOATS, gradient, i).mul(c.clip());
            FloatVector newM = b1.fma(FloatVector.fromArray(FLOATS, m, i), g.mul(c.oneMinusBeta1()));
            FloatVector newV =
                    b2.fma(FloatVector.fromArray(FLOATS, v, i), g.mul(g).mul(c.oneMinusBeta2()));
            FloatVector den = newV.sqrt().mul(c.rootCorrection()).add(c.eps());
            FloatVector decayed = FloatVector.fromArray(FLOATS, w, i).mul(decay);
            FloatVector newW = minusStep.fma(newM.div(den), decayed);
            newM.intoArray(m, i);
            newV.intoArray(v, i);
            newW.intoArray(w, i);
            IntVector exponentW = newW.reinterpretAsInts().and(EXPONENT).add(EXPONENT_STEP);
            IntVector exponentV = newV.reinterpretAsInts().and(EXPONENT).add(EXPONENT_STEP);
            carries = carries.or(exponentW).or(exponentV);
        }
        boolean finite = !carries.compare(VectorOperators.LT, 0).anyTrue();
        for (int i = whole; i < to; i++) {
            finite &= updateOne(i, gradient[i], w, m, v, i);
        }
        return finite;
    }

    /** Element {@code i}, its results to index {@code at} of the three arrays. */
    private boolean updateOne(int i, float raw, float[] nextW, float[] nextM, float[] nextV, int at) {
        float g = raw * c.clip();
        float newM = Math.fma(c.beta1(), m[i], c.oneMinusBeta1() * g);
        float newV = Math.fma(c.beta2(), v[i], c.oneMinusBeta2() * (g * g));
        // A binary64 root rounded to binary32 is the correctly rounded binary32 root.
        float den = (float) Math.sqrt(newV) * c.rootCorrection() + c.eps();
        float newW = Math.fma(-c.step(), newM / den, w[i] * decay);
        nextM[at] = newM;
        nextV[at] = newV;
        nextW[at] = newW;
        return Float.isFinite(newW) && Float.isFinite(newM) && Float.isFinite(newV);
    }

    /**
     * Whether the whole update would leave only finite numbers; writes nothing. An input that is not finite always shows in
     * an output, since every input is a factor or summand of one.
     */
    boolean staysFinite() {
        float[] unused = new float[1];
        for (int i = 0; i < w.length; i++) {
            if (!updateOne(i, gradient[i], unused, unused, unused, 0)) {
                return false;
            }
        }
        return true;
    }
}
