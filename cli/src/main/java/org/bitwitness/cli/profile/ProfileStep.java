package org.bitwitness.cli.profile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.bitwitness.cli.support.BackendOptions;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.cli.support.RuntimeNeed;
import org.bitwitness.kernels.ReduceResult;
import org.bitwitness.kernels.StepEngine;
import org.bitwitness.kernels.StepRunner;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.kernels.program.StepConfig;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bitwitness profile step}: one whole training step of a configuration. */
@Command(
        name = "step",
        description = {
            "Compute one training step: all workers, reduction, update.",
            "Exit 3, and no OUT, when the step is INVALID (docs/numerics.md, \"Validity\")."
        },
        footerHeading = "%nExample:%n",
        footer = "  bitwitness profile step step1.json state0.safetensors state1.safetensors --grads g.safetensors")
final class ProfileStep extends BaseCommand {
    @Parameters(index = "0", paramLabel = "CONFIG", description = "A configuration; docs/numerics.md lists its fields.")
    private Path configFile = Path.of("");

    @Parameters(index = "1", paramLabel = "IN", description = "State before the step: parameters and moments.")
    private Path in = Path.of("");

    @Parameters(index = "2", paramLabel = "OUT", description = "State after the step, to be written.")
    private Path out = Path.of("");

    @Option(
            names = "--grads",
            paramLabel = "FILE",
            description = "Also write the gradients: w0., w1., … per worker and g. combined.")
    private Optional<Path> gradsFile = Optional.empty();

    @Mixin
    private BackendOptions backendOptions = new BackendOptions();

    @Override
    protected Set<RuntimeNeed> needs() {
        return Set.of(RuntimeNeed.VECTOR);
    }

    @Override
    protected CommandResult execute(CommandIo io) throws IOException, CommandFailure {
        StepConfig config = ProfileFiles.config(configFile);
        HostState state = ProfileFiles.state(in, config);
        StepRunner.Outcome outcome;
        try (StepEngine engine = StepEngine.create(ProfileFiles.tensors(config, configFile), backendOptions.create())) {
            outcome = StepRunner.run(engine, config, state);
        } catch (IllegalArgumentException e) {
            // Token ids outside the vocabulary, sequences longer than the context.
            throw CommandFailure.usage(configFile + ": " + e.getMessage());
        }
        if (gradsFile.isPresent()) {
            ProfileFiles.write(gradients(outcome), gradsFile.get());
        }
        if (outcome.valid()) {
            ProfileFiles.writeState(state, out);
        } else {
            Files.deleteIfExists(out);
        }
        return result(config, outcome, state);
    }

    private CommandResult result(StepConfig config, StepRunner.Outcome outcome, HostState state) throws CommandFailure {
        ReduceResult r = outcome.reduction();
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("valid", outcome.valid());
        document.put("step", config.step());
        document.put("backend", backendOptions.id().text());
        document.put("loss", Float.toString(r.loss()));
        document.put("loss_bits", "%08x".formatted(Float.floatToIntBits(r.loss())));
        document.put("norm", Double.toString(r.norm()));
        document.put("norm_bits", "%016x".formatted(Double.doubleToLongBits(r.norm())));
        document.put("clip_bits", "%08x".formatted(Float.floatToIntBits(r.clip())));
        document.put("count", r.targetCount());
        List<String> lines = new ArrayList<>();
        document.forEach((key, value) -> lines.add(key + " " + value));
        if (!outcome.valid()) {
            lines.add("the step is INVALID: a value is not finite or there are no targets; no state was written");
            return CommandResult.of(ExitCode.INCONCLUSIVE, document, lines);
        }
        String hash = ProfileFiles.hash(state).hex();
        document.put("state_sha256", hash);
        lines.add("state_sha256 " + hash);
        return CommandResult.of(ExitCode.OK, document, lines);
    }

    private static List<F32Tensor> gradients(StepRunner.Outcome outcome) {
        List<F32Tensor> tensors = new ArrayList<>();
        for (int w = 0; w < outcome.workers().size(); w++) {
            add(tensors, "w" + w + ".", outcome.workers().get(w).gradients());
        }
        add(tensors, "g.", outcome.reduction().combined());
        return tensors;
    }

    private static void add(List<F32Tensor> tensors, String prefix, Gradients gradients) {
        for (Parameter p : gradients.manifest().parameters()) {
            tensors.add(F32Tensor.of(prefix + p.name(), p.shape(), gradients.tensor(p.index())));
        }
    }
}
