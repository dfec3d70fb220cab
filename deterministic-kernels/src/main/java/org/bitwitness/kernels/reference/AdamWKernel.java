package org.bitwitness.kernels.reference;

import java.util.List;
import org.bitwitness.kernels.AdamWConstants;
import org.bitwitness.kernels.AdamWSlot;

/** AdamW on all parameters, or on none. */
final class AdamWKernel {
    private AdamWKernel() {}

    static boolean update(List<AdamWSlot> slots, AdamWConstants k) {
        for (AdamWSlot slot : slots) {
            for (int i = 0; i < slot.parameter().size(); i++) {
                if (!Element.of(slot, i, k).allFinite()) {
                    return false;
                }
            }
        }
        for (AdamWSlot slot : slots) {
            for (int i = 0; i < slot.parameter().size(); i++) {
                Element after = Element.of(slot, i, k);
                slot.parameter().data()[i] = after.w;
                slot.m().data()[i] = after.m;
                slot.v().data()[i] = after.v;
            }
        }
        return true;
    }

    /** One element after the update; {@code before} is what it was computed from. */
    private record Element(float w, float m, float v, float wBefore, float mBefore, float vBefore, float gradient) {
        static Element of(AdamWSlot slot, int i, AdamWConstants k) {
            float wBefore = slot.parameter().data()[i];
            float mBefore = slot.m().data()[i];
            float vBefore = slot.v().data()[i];
            float gradient = slot.gradient().data()[i];
            float g = gradient * k.clip();
            float m = Math.fma(k.beta1(), mBefore, k.oneMinusBeta1() * g);
            float v = Math.fma(k.beta2(), vBefore, k.oneMinusBeta2() * (g * g));
            float den = Functions.sqrt(v) * k.rootCorrection() + k.eps();
            float decay = slot.decays() ? k.decay() : 1f;
            float w = Math.fma(-k.step(), m / den, wBefore * decay);
            return new Element(w, m, v, wBefore, mBefore, vBefore, gradient);
        }

        boolean allFinite() {
            return Float.isFinite(w)
                    && Float.isFinite(m)
                    && Float.isFinite(v)
                    && Float.isFinite(wBefore)
                    && Float.isFinite(mBefore)
                    && Float.isFinite(vBefore)
                    && Float.isFinite(gradient);
        }
    }
}
