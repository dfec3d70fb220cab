package org.bitwitness.kernels.reference;

import java.util.List;
import org.bitwitness.kernels.SgdConstants;
import org.bitwitness.kernels.SgdSlot;

/** SGD with momentum on all parameters, or on none. */
final class SgdKernel {
    private SgdKernel() {}

    static boolean update(List<SgdSlot> slots, SgdConstants k) {
        for (SgdSlot slot : slots) {
            for (int i = 0; i < slot.parameter().size(); i++) {
                if (!Element.of(slot, i, k).allFinite()) {
                    return false;
                }
            }
        }
        for (SgdSlot slot : slots) {
            for (int i = 0; i < slot.parameter().size(); i++) {
                Element after = Element.of(slot, i, k);
                slot.parameter().data()[i] = after.w;
                slot.m().data()[i] = after.m;
            }
        }
        return true;
    }

    /** One element after the update; {@code before} is what it was computed from. */
    private record Element(float w, float m, float wBefore, float mBefore, float gradient) {
        static Element of(SgdSlot slot, int i, SgdConstants k) {
            float wBefore = slot.parameter().data()[i];
            float mBefore = slot.m().data()[i];
            float gradient = slot.gradient().data()[i];
            float g = gradient * k.clip();
            if (slot.decays()) {
                g = Math.fma(k.weightDecay(), wBefore, g);
            }
            float m = Math.fma(k.momentum(), mBefore, k.keep() * g);
            float u = k.nesterov() ? Math.fma(k.momentum(), m, g) : m;
            float w = Math.fma(-k.step(), u, wBefore);
            return new Element(w, m, wBefore, mBefore, gradient);
        }

        boolean allFinite() {
            return Float.isFinite(w)
                    && Float.isFinite(m)
                    && Float.isFinite(wBefore)
                    && Float.isFinite(mBefore)
                    && Float.isFinite(gradient);
        }
    }
}
