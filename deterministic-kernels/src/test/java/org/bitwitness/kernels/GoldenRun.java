package org.bitwitness.kernels;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.ModelTensors;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.kernels.program.StepConfig;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.format.JsonFields;

/**
 * Runs a golden family on a backend and says where the bits differ: state 0 first, then w0, w1, g, norm, clip, loss, state.
 * Also a program, for child JVMs: arguments are backend, threads, last step, families; prints differences, exits 1 if any.
 */
final class GoldenRun {
    /** Computed by somebody else, with every gradient of step 1. */
    static final List<String> FROM_OUTSIDE = List.of("gpt2", "llama");

    /** Computed here, see ORIGIN.md. */
    static final List<String> OUR_OWN = List.of(
            "sgd-gpt2", "sgd-llama", "krum-gpt2", "trimmed-llama", "bf16-gpt2", "bf16-llama", "mlp", "bf16-mlp");

    private final List<String> differences = new ArrayList<>();

    private GoldenRun() {}

    /** Empty when every compared bit agrees. Closes the backend. */
    static List<String> differences(String family, Backend backend, int steps) {
        GoldenRun run = new GoldenRun();
        StepConfig first = GoldenFiles.config(family, 1);
        try (StepEngine engine =
                StepEngine.create(ModelTensors.of(first.model(), first.manifest(), first.profile()), backend)) {
            HostState state = engine.initialState(first.initial(), first.optimizer());
            run.text(
                    family + " state 0",
                    run.expected(family, 0, "state_sha256"),
                    GoldenFiles.stateHash(state).hex());
            for (int step = 1; step <= steps; step++) {
                run.step(family, step, engine, state);
            }
        }
        return run.differences;
    }

    private void step(String family, int step, StepEngine engine, HostState state) {
        StepRunner.Outcome outcome = StepRunner.run(engine, GoldenFiles.config(family, step), state);
        String at = family + " step " + step + " ";
        if (step == 1 && FROM_OUTSIDE.contains(family)) {
            Map<String, float[]> golden = GoldenFiles.tensors(family + "-grads1.safetensors");
            for (int w = 0; w < outcome.workers().size(); w++) {
                gradients(at, "w" + w + ".", outcome.workers().get(w).gradients(), golden);
            }
            gradients(at, "g.", outcome.reduction().combined(), golden);
        }
        ReduceResult r = outcome.reduction();
        text(at + "norm", expected(family, step, "norm_bits"), "%016x".formatted(Double.doubleToRawLongBits(r.norm())));
        text(at + "clip", expected(family, step, "clip_bits"), "%08x".formatted(Float.floatToRawIntBits(r.clip())));
        text(at + "loss", expected(family, step, "loss_bits"), "%08x".formatted(Float.floatToRawIntBits(r.loss())));
        text(at + "valid", "true", Boolean.toString(outcome.valid()));
        text(
                at + "state",
                expected(family, step, "state_sha256"),
                GoldenFiles.stateHash(state).hex());
    }

    private void gradients(String at, String prefix, Gradients computed, Map<String, float[]> golden) {
        float[][] expected = GoldenFiles.inOrder(computed.manifest(), golden, prefix);
        for (Parameter p : computed.manifest().parameters()) {
            Bits.firstDifference(expected[p.index()], computed.tensor(p.index()))
                    .ifPresent(d -> differences.add(at + prefix + p.name() + ": " + d));
        }
    }

    private void text(String what, String expected, String computed) {
        if (!expected.equals(computed)) {
            differences.add("%s: expected %s, computed %s".formatted(what, expected, computed));
        }
    }

    private String expected(String family, int line, String key) {
        JsonFields fields = GoldenFiles.expected(family, line);
        try {
            return fields.text(key);
        } catch (ProtocolException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        BackendId id = BackendId.parse(args[0]);
        int threads = Integer.parseInt(args[1]);
        int steps = Integer.parseInt(args[2]);
        int failures = 0;
        for (int i = 3; i < args.length; i++) {
            List<String> found = differences(args[i], Backends.create(id, threads), steps);
            found.forEach(System.out::println);
            failures += found.size();
        }
        System.out.println(failures == 0 ? "ALL BITS AGREE" : failures + " DIFFERENCES");
        System.exit(failures == 0 ? 0 : 1);
    }
}
