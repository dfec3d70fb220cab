package org.bitwitness.kernels.vector;

import static org.bitwitness.kernels.vector.Lanes.FLOATS;
import static org.bitwitness.kernels.vector.Lanes.WIDTH;

import jdk.incubator.vector.FloatVector;
import org.bitwitness.kernels.AdamWConstants;
import org.bitwitness.kernels.AdamWSlot;

/** AdamW (P11) on one parameter, block by block. */
@SuppressWarnings("ArrayRecordComponent") // a bundle of arguments, never compared
record Optimizer(float[] w, float[] m, float[] v, float[] gradient, float decay, AdamWConstants c) {
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
     * Computes the new parameter and moments of elements {@code [from, to)}, at most a block, into {@code next}.
     *
     * @return whether they are all finite. An input that is not finite always shows in an output, since every input is a
     *     factor or summand of one.
     */
    boolean compute(int from, int to, Next next) {
        int count = to - from;
        System.arraycopy(w, from, next.w, 0, count);
        System.arraycopy(m, from, next.m, 0, count);
        System.arraycopy(v, from, next.v, 0, count);
        System.arraycopy(gradient, from, next.gradient, 0, count);
        FloatVector b1 = FloatVector.broadcast(FLOATS, c.beta1());
        FloatVector b2 = FloatVector.broadcast(FLOATS, c.beta2());
        FloatVector minusStep = FloatVector.broadcast(FLOATS, -c.step());
        for (int i = 0; i < count; i += WIDTH) {
            FloatVector g = FloatVector.fromArray(FLOATS, next.gradient, i).mul(c.clip());
            FloatVector newM = b1.fma(FloatVector.fromArray(FLOATS, next.m, i), g.mul(c.oneMinusBeta1()));
            FloatVector newV =
                    b2.fma(FloatVector.fromArray(FLOATS, next.v, i), g.mul(g).mul(c.oneMinusBeta2()));
            FloatVector den = newV.sqrt().mul(c.rootCorrection()).add(c.eps());
            FloatVector decayed = FloatVector.fromArray(FLOATS, next.w, i).mul(decay);
            newM.intoArray(next.m, i);
            newV.intoArray(next.v, i);
            minusStep.fma(newM.div(den), decayed).intoArray(next.w, i);
        }
        return Elements.finite(next.w, 0, count)
                && Elements.finite(next.m, 0, count)
                && Elements.finite(next.v, 0, count);
    }

    /** Work arrays of one block. */
    @SuppressWarnings("ArrayRecordComponent") // a bundle of arguments, never compared
    record Next(float[] w, float[] m, float[] v, float[] gradient) {
        static Next in(Scratch.Local local) {
            return new Next(local.block(0), local.block(1), local.block(2), local.block(3));
        }
    }

    /** Whether the whole update would leave only finite numbers; writes nothing. */
    boolean staysFinite(Scratch.Local local) {
        Next next = Next.in(local);
        for (int at = 0; at < w.length; at += VectorMath.BLOCK) {
            if (!compute(at, Math.min(w.length, at + VectorMath.BLOCK), next)) {
                return false;
            }
        }
        return true;
    }

    void update(Scratch.Local local) {
        Next next = Next.in(local);
        for (int at = 0; at < w.length; at += VectorMath.BLOCK) {
            int count = Math.min(w.length - at, VectorMath.BLOCK);
            compute(at, at + count, next);
            System.arraycopy(next.w, 0, w, at, count);
            System.arraycopy(next.m, 0, m, at, count);
            System.arraycopy(next.v, 0, v, at, count);
        }
    }
}
