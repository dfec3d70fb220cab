package org.bitwitness.kernels.vector;

import static org.bitwitness.kernels.vector.Lanes.FLOATS;
import static org.bitwitness.kernels.vector.Lanes.WIDTH;

import jdk.incubator.vector.FloatVector;
import org.bitwitness.kernels.SgdConstants;
import org.bitwitness.kernels.SgdSlot;

/** SGD with momentum on one parameter, block by block. */
@SuppressWarnings("ArrayRecordComponent") // a bundle of arguments, never compared
record Momentum(float[] w, float[] m, float[] gradient, boolean decays, SgdConstants c) {
    static Momentum of(SgdSlot slot, SgdConstants constants) {
        return new Momentum(
                slot.parameter().data(), slot.m().data(), slot.gradient().data(), slot.decays(), constants);
    }

    /**
     * Computes the new parameter and momentum of elements {@code [from, from + count)}, at most a block, into blocks 0 and 1.
     *
     * @return whether they are all finite. An input that is not finite always shows in an output, since every input is a
     *     factor or summand of one.
     */
    private boolean compute(int from, int count, Scratch.Local local) {
        float[] nextW = local.block(0);
        float[] nextM = local.block(1);
        float[] g = local.block(2);
        System.arraycopy(w, from, nextW, 0, count);
        System.arraycopy(m, from, nextM, 0, count);
        System.arraycopy(gradient, from, g, 0, count);
        FloatVector momentum = FloatVector.broadcast(FLOATS, c.momentum());
        FloatVector decay = FloatVector.broadcast(FLOATS, c.weightDecay());
        FloatVector minusStep = FloatVector.broadcast(FLOATS, -c.step());
        for (int i = 0; i < count; i += WIDTH) {
            FloatVector old = FloatVector.fromArray(FLOATS, nextW, i);
            FloatVector d = FloatVector.fromArray(FLOATS, g, i).mul(c.clip());
            if (decays) {
                d = decay.fma(old, d);
            }
            FloatVector velocity = momentum.fma(FloatVector.fromArray(FLOATS, nextM, i), d.mul(c.keep()));
            velocity.intoArray(nextM, i);
            FloatVector along = c.nesterov() ? momentum.fma(velocity, d) : velocity;
            minusStep.fma(along, old).intoArray(nextW, i);
        }
        return Elements.finite(nextW, 0, count) && Elements.finite(nextM, 0, count);
    }

    /** Whether the whole update would leave only finite numbers; writes nothing. */
    boolean staysFinite(Scratch.Local local) {
        for (int at = 0; at < w.length; at += VectorMath.BLOCK) {
            if (!compute(at, Math.min(w.length - at, VectorMath.BLOCK), local)) {
                return false;
            }
        }
        return true;
    }

    void update(Scratch.Local local) {
        for (int at = 0; at < w.length; at += VectorMath.BLOCK) {
            int count = Math.min(w.length - at, VectorMath.BLOCK);
            compute(at, count, local);
            System.arraycopy(local.block(0), 0, w, at, count);
            System.arraycopy(local.block(1), 0, m, at, count);
        }
    }
}
