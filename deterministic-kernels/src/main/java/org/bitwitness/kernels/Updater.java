package org.bitwitness.kernels;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.protocol.record.OptimizerSpec;

/** The UPDATE phase, in place. */
final class Updater {
    private final ParameterManifest manifest;
    private final Backend backend;

    Updater(ParameterManifest manifest, Backend backend) {
        this.manifest = manifest;
        this.backend = backend;
    }

    UpdateResult update(HostState state, Gradients combined, UpdateRequest request) {
        if (!List.copyOf(state.momentPrefixes()).equals(request.optimizer().momentPrefixes())) {
            throw new IllegalArgumentException("%s needs a state with the moments %s, this one has %s"
                    .formatted(
                            request.optimizer().kind(), request.optimizer().momentPrefixes(), state.momentPrefixes()));
        }
        long t = state.updateCount() + 1;
        List<Tensor> parameters = bind("", i -> state.parameter(i));
        List<Tensor> m = bind(OptimizerSpec.FIRST_MOMENT, i -> state.m(i));
        List<Tensor> gradients = bind("g.", combined::tensor);
        List<Tensor> changed = new ArrayList<>(parameters);
        changed.addAll(m);
        boolean updated = switch (request.optimizer()) {
            case OptimizerSpec.AdamW adam -> {
                List<Tensor> v = bind(OptimizerSpec.SECOND_MOMENT, i -> state.v(i));
                changed.addAll(v);
                List<AdamWSlot> slots =
                        slots(p -> new AdamWSlot(at(parameters, p), at(m, p), at(v, p), at(gradients, p), p.decays()));
                yield backend.adamW(slots, constants(request, adam, t), request.gradientBound(), state.bounds());
            }
            case OptimizerSpec.Sgd sgd ->
                backend.sgd(
                        slots(p -> new SgdSlot(at(parameters, p), at(m, p), at(gradients, p), p.decays())),
                        constants(request, sgd, t));
        };
        if (updated) {
            fetch(changed, state);
        }
        backend.release(changed);
        backend.release(gradients);
        if (!updated) {
            return UpdateResult.INVALID;
        }
        state.countUpdate();
        return UpdateResult.UPDATED;
    }

    /**
     * As {@link #update}, tensor by tensor, from one state into another, which is worth nothing if this is INVALID. Whether an
     * update is valid is decided for every tensor by itself, and all have to be.
     */
    UpdateResult update(HostState before, Gradients combined, UpdateRequest request, HostState after) {
        long t = before.updateCount() + 1;
        for (Parameter p : manifest.parameters()) {
            List<String> prefixes = new ArrayList<>(List.of(""));
            prefixes.addAll(request.optimizer().momentPrefixes());
            List<float[]> data = new ArrayList<>();
            List<Tensor> tensors = new ArrayList<>();
            for (String prefix : prefixes) {
                float[] read = before.get(prefix, p.index());
                data.add(before.inMemory() ? read.clone() : read);
                tensors.add(bound(prefix + p.name(), p, data.getLast()));
            }
            Tensor gradient = bound("g." + p.name(), p, combined.tensor(p.index()));
            boolean updated = switch (request.optimizer()) {
                case OptimizerSpec.AdamW adam ->
                    backend.adamW(
                            List.of(new AdamWSlot(
                                    tensors.get(0), tensors.get(1), tensors.get(2), gradient, p.decays())),
                            constants(request, adam, t));
                case OptimizerSpec.Sgd sgd ->
                    backend.sgd(
                            List.of(new SgdSlot(tensors.get(0), tensors.get(1), gradient, p.decays())),
                            constants(request, sgd, t));
            };
            for (int i = 0; updated && i < prefixes.size(); i++) {
                HostCopies.fetch(backend, tensors.get(i), data.get(i));
                after.put(prefixes.get(i), p.index(), data.get(i));
            }
            backend.release(tensors);
            backend.release(List.of(gradient));
            if (!updated) {
                return UpdateResult.INVALID;
            }
        }
        after.countUpdate();
        return UpdateResult.UPDATED;
    }

    private Tensor bound(String name, Parameter p, float[] data) {
        Tensor tensor = Tensor.declare(name, p.shape());
        backend.bind(tensor, data);
        return tensor;
    }

    /** @param changed parameters, then each kind of moment, all in manifest order */
    private void fetch(List<Tensor> changed, HostState state) {
        int count = manifest.count();
        List<String> prefixes = List.copyOf(state.momentPrefixes());
        for (int n = 0; n < changed.size(); n++) {
            int i = n % count;
            float[] into = n < count ? state.parameter(i) : state.moment(prefixes.get(n / count - 1), i);
            HostCopies.fetch(backend, changed.get(n), into);
        }
    }

    boolean allFinite(HostState state) {
        List<Tensor> all = new ArrayList<>(bind("", i -> state.parameter(i)));
        for (String prefix : state.momentPrefixes()) {
            all.addAll(bind(prefix, i -> state.moment(prefix, i)));
        }
        boolean finite = backend.allFinite(all);
        backend.release(all);
        return finite;
    }

    /**
     * The float32 constants of an AdamW update, each computed in binary64 and rounded once.
     *
     * @param t the update count after this step, from 1
     */
    static AdamWConstants constants(UpdateRequest request, OptimizerSpec.AdamW o, long t) {
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

    /**
     * The float32 constants of an SGD update. The first one starts the buffer, so nothing is dampened then.
     *
     * @param t the update count after this step, from 1
     */
    static SgdConstants constants(UpdateRequest request, OptimizerSpec.Sgd o, long t) {
        return new SgdConstants(
                (float) o.momentum(),
                t == 1 ? 1f : (float) (1 - o.dampening()),
                (float) request.learningRate(),
                (float) o.weightDecay(),
                request.clip(),
                o.nesterov());
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

    private List<Tensor> bind(String prefix, IntFunction<float[]> data) {
        List<Tensor> out = new ArrayList<>();
        for (Parameter p : manifest.parameters()) {
            Tensor tensor = Tensor.declare(prefix + p.name(), p.shape());
            backend.bind(tensor, data.apply(p.index()));
            out.add(tensor);
        }
        return out;
    }

    private <T> List<T> slots(Function<Parameter, T> slot) {
        return manifest.parameters().stream().map(slot).toList();
    }

    private static Tensor at(List<Tensor> tensors, Parameter p) {
        return tensors.get(p.index());
    }
}
