package org.bitwitness.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.bitwitness.kernels.PythonScripts.Ended;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.ModelTensors;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.kernels.program.StepConfig;
import org.bitwitness.kernels.program.StepConfigJson;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.format.Safetensors;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Values beside PyTorch in float64, through the scripts of {@code benchmarks/pytorch}: never bits, but a term that is
 * missing shows. Skipped where Python has no PyTorch.
 */
class PyTorchTest {
    @TempDir
    private Path folder;

    @BeforeAll
    static void pyTorchIsHere() {
        PythonScripts.needs("torch, numpy");
    }

    /** {@code check_update.py} pins the bits of SGD; this says that what it pins is PyTorch's algorithm. */
    @Test
    void ourSgdIsPyTorchs() {
        Ended ended = PythonScripts.run("check_update.py", List.of("--sgd"));
        assertEquals(0, ended.exitCode(), ended.output());
        assertEquals(10, ended.linesEnding(" from torch.optim.SGD"), ended.output());
    }

    @Test
    void theGradientOfEveryOperatorIsPyTorchs() throws IOException {
        List<String> problems = new ArrayList<>();
        GradientProblems ours = new GradientProblems(20_260_601, Backends.create(BackendId.REFERENCE, 1));
        GradientProblems.OPERATORS.forEach(
                operator -> problems.add(ours.of(operator).json()));
        Path file = Files.write(folder.resolve("problems.json"), problems);
        Ended ended = PythonScripts.run("check_operators.py", List.of(file.toString()));
        assertEquals(0, ended.exitCode(), ended.output());

        // Twin: one weight altered after our gradient was computed.
        String altered = problems.getFirst().replaceFirst("\"weights\":\\[[^,]*", "\"weights\":[1.75");
        Files.write(file, List.of(altered));
        Ended refused = PythonScripts.run("check_operators.py", List.of(file.toString()));
        assertEquals(1, refused.exitCode(), refused.output());
    }

    @Test
    void theGradientOfAWholeModelIsPyTorchs() throws IOException {
        List<String> arguments = new ArrayList<>();
        arguments.addAll(stepOf("gpt2", 1f));
        arguments.addAll(stepOf("llama", 1f));
        Ended ended = PythonScripts.run("check_gradients.py", arguments);
        assertEquals(0, ended.exitCode(), ended.output());
        assertEquals(2, ended.linesEnding(": ok"), ended.output());
    }

    /** Twin: one tensor's gradient is a thousandth too large. */
    @Test
    void aGradientThatIsAThousandthTooLargeIsRefused() throws IOException {
        List<String> arguments = new ArrayList<>();
        arguments.addAll(stepOf("gpt2", 1.001f));
        assertEquals(1, PythonScripts.run("check_gradients.py", arguments).exitCode());
    }

    /** Runs a golden step without dropout; returns the files of configuration, state before and gradients. */
    private List<String> stepOf(String family, float factorOnTheLastGradient) throws IOException {
        String text = new String(GoldenFiles.bytes(family + "-step1.json"), StandardCharsets.UTF_8)
                .replaceAll("\"([a-z_]*dropout|[a-z]*_pdrop)\":[0-9.]+", "\"$1\":0");
        Path config = Files.writeString(folder.resolve(family + "-config.json"), text);
        StepConfig step = read(text);
        try (StepEngine engine = StepEngine.create(
                ModelTensors.of(step.model(), step.manifest(), step.profile()), Backends.create(BackendId.VECTOR, 2))) {
            HostState state = engine.initialState(step.initial(), step.optimizer());
            Path before = write(family + "-state.safetensors", state.tensors());
            Gradients combined = StepRunner.run(engine, step, state).reduction().combined();
            float[] last = combined.tensor(combined.manifest().count() - 1);
            for (int i = 0; i < last.length; i++) {
                last[i] *= factorOnTheLastGradient;
            }
            List<F32Tensor> tensors = new ArrayList<>();
            for (Parameter p : combined.manifest().parameters()) {
                tensors.add(F32Tensor.of("g." + p.name(), p.shape(), combined.tensor(p.index())));
            }
            Path gradients = write(family + "-grads.safetensors", tensors);
            return List.of(config.toString(), before.toString(), gradients.toString());
        }
    }

    private static StepConfig read(String text) {
        try {
            return StepConfigJson.read(text.getBytes(StandardCharsets.UTF_8), "config");
        } catch (ProtocolException e) {
            throw new IllegalStateException(e);
        }
    }

    private Path write(String name, List<F32Tensor> tensors) throws IOException {
        Path file = folder.resolve(name);
        try (OutputStream out = Files.newOutputStream(file)) {
            Safetensors.write(tensors, out);
        }
        return file;
    }
}
