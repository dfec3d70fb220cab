package org.bitwitness.kernels;

import java.util.ArrayList;
import java.util.List;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.OptimizerConfig;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.kernels.program.ParameterManifest;

/** The UPDATE phase: AdamW in place. */
final class Updater {
    private final ParameterManifest manifest;
    private final Backend backend;

    Updater(ParameterManifest manifest, Backend backend) {
        this.manifest = manifest;
        this.backend = backend;
    }

    UpdateResult update(HostState state, Gradients combined, UpdateRequest request) {
        List<AdamWSlot> slots = new ArrayList<>();
        for (Parameter p : manifest.parameters()) {
            int i = p.index();
            slots.add(new AdamWSlot(
                    bind(p.name(), p, state.parameter(i)),
                    bind("m." + p.name(), p, state.m(i)),
                    bind("v." + p.name(), p, state.v(i)),
                    bind("g." + p.name(), p, combined.tensor(i)),
                    p.decays()));
        }
        boolean updated = backend.adamW(slots, constants(request, state.updateCount() + 1));
        if (updated) {
            fetch(slots, state);
        }
        slots.forEach(slot -> backend.release(List.of(slot.parameter(), slot.m(), slot.v(), slot.gradient())));
        if (!updated) {
            return UpdateResult.INVALID;
        }
        state.countUpdate();
        return UpdateResult.UPDATED;
    }

    private void fetch(List<AdamWSlot> slots, HostState state) {
        for (int i = 0; i < slots.size(); i++) {
            HostCopies.fetch(backend, slots.get(i).parameter(), state.parameter(i));
            HostCopies.fetch(backend, slots.get(i).m(), state.m(i));
            HostCopies.fetch(backend, slots.get(i).v(), state.v(i));
        }
    }

    boolean allFinite(HostState state) {
        List<Tensor> all = new ArrayList<>();
        for (Parameter p : manifest.parameters()) {
            all.add(bind(p.name(), p, state.parameter(p.index())));
            all.add(bind("m." + p.name(), p, state.m(p.index())));
            all.add(bind("v." + p.name(), p, state.v(p.index())));
        }
        boolean finite = backend.allFinite(all);
        backend.release(all);
        return finite;
    }

    /**
     * The float32 constants of an update, each computed in binary64 and rounded once.
     *
     * @param t the update count after this step, from 1
     */
    static AdamWConstants constants(UpdateRequest request, long t) {
        OptimizerConfig o = request.optimizer();
        double lr = request.learningRate();
        return new AdamWConstants(
                (float) o.beta1(),
                (float) o.beta2(),
                (float) (1 - o.beta1()),
                (float) (1 - o.beta2()),
                (float) o.eps(),
                (float) (lr / (1 - power(o.beta1(), t))),
                (float) (1 / Math.sqrt(1 - power(o.beta2(), t))),
                (float) (1 - lr * o.weightDecay()),
                request.clip());
    }

    /** b^t by squaring, in a fixed order: Math.pow may differ between platforms. */
    static double power(double b, long t) {
        double r = 1;
        double p = b;
        for (long rest = t; rest != 0; rest >>= 1) {
            if ((rest & 1) != 0) {
                r = r * p;
            }
            p = p * p;
        }
        return r;
    }

    private Tensor bind(String name, Parameter p, float[] data) {
        Tensor tensor = Tensor.declare(name, p.shape());
        backend.bind(tensor, data);
        return tensor;
    }
}
