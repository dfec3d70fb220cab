package org.bitwitness.kernels.vector;

import static org.bitwitness.kernels.vector.Lanes.all;
import static org.bitwitness.kernels.vector.Lanes.load;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import org.bitwitness.kernels.AdamWConstants;
import org.bitwitness.kernels.AdamWSlot;

/** AdamW (P11) over elements {@code [from, to)} of one parameter. */
@SuppressWarnings("ArrayRecordComponent") // a bundle of arguments, never compared
record Optimizer(float[] w, float[] m, float[] v, float[] gradient, float decay, AdamWConstants c) {
    private static final int EXPONENT_BITS = 0x7f800000;

    static Optimizer of(AdamWSlot slot, AdamWConstants constants) {
        return new Optimizer(
                slot.parameter().data(),
                slot.m().data(),
                slot.v().data(),
                slot.gradient().data(),
                slot.decays() ? constants.decay() : 1f,
                constants);
    }

    /**
     * Whether the update would leave only finite numbers; writes nothing. An input that is not finite always shows in an
     * output, since every input is a factor or summand of one.
     */
    boolean staysFinite(int from, int to) {
        IntVector worst = IntVector.zero(Lanes.INTS);
        for (int i = from; i < to; i += Lanes.WIDTH) {
            int count = Math.min(Lanes.WIDTH, to - i);
            FloatVector g = load(gradient, i, count).mul(c.clip());
            FloatVector newM = nextM(load(m, i, count), g);
            FloatVector newV = nextV(load(v, i, count), g);
            FloatVector newW = nextW(load(w, i, count), newM, newV);
            worst = worst.max(exponent(newM)).max(exponent(newV)).max(exponent(newW));
        }
        return !worst.compare(VectorOperators.EQ, EXPONENT_BITS).anyTrue();
    }

    private static IntVector exponent(FloatVector x) {
        return Lanes.ints(x).and(EXPONENT_BITS);
    }

    void update(int from, int to) {
        for (int i = from; i < to; i += Lanes.WIDTH) {
            int count = Math.min(Lanes.WIDTH, to - i);
            FloatVector g = load(gradient, i, count).mul(c.clip());
            FloatVector newM = nextM(load(m, i, count), g);
            FloatVector newV = nextV(load(v, i, count), g);
            FloatVector newW = nextW(load(w, i, count), newM, newV);
            Lanes.store(newM, m, i, count);
            Lanes.store(newV, v, i, count);
            Lanes.store(newW, w, i, count);
        }
    }

    private FloatVector nextM(FloatVector oldM, FloatVector g) {
        return all(c.beta1()).fma(oldM, g.mul(c.oneMinusBeta1()));
    }

    private FloatVector nextV(FloatVector oldV, FloatVector g) {
        return all(c.beta2()).fma(oldV, g.mul(g).mul(c.oneMinusBeta2()));
    }

    private FloatVector nextW(FloatVector oldW, FloatVector newM, FloatVector newV) {
        FloatVector den = newV.sqrt().mul(c.rootCorrection()).add(c.eps());
        return all(-c.step()).fma(newM.div(den), oldW.mul(decay));
    }
}
