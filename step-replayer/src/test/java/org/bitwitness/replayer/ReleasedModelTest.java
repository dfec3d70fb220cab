package org.bitwitness.replayer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.GradientRequest;
import org.bitwitness.kernels.MicroBatch;
import org.bitwitness.kernels.StepEngine;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.ModelConfig;
import org.bitwitness.kernels.trace.OperatorEvent;
import org.bitwitness.protocol.StateIndex;
import org.bitwitness.protocol.format.Safetensors;
import org.bitwitness.protocol.tensor.Shape;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Other people's {@code transformers} loads a released model, and its logits are ours: beside the bits a check that the names,
 * the layout and the configuration of the files mean what everybody takes them to mean. Skipped where Python lacks it.
 */
class ReleasedModelTest {
    private static final String PYTHON = System.getProperty("tests.python", "python3");
    private static final int SEQUENCES = 3;
    private static final int LENGTH = 16;

    @TempDir
    private Path temp;

    @Test
    void transformersLoadsAReleasedModelAndItsLogitsAreOurs() throws Exception {
        Ended modules = python(List.of("-c", "import torch, transformers, safetensors"));
        assumeTrue(modules.exitCode() == 0, () -> "skipped: " + PYTHON + " lacks a module: " + modules.output());
        List<String> arguments = new ArrayList<>();
        arguments.addAll(released("gpt2", 0));
        arguments.addAll(released("llama", 0));
        Ended equal = script(arguments);
        assertEquals(0, equal.exitCode(), equal.output());
        assertEquals(
                2, equal.output().lines().filter(line -> line.endsWith(": ok")).count(), equal.output());

        // Twin: a thousandth at one logit.
        Ended unequal = script(released("gpt2", 1e-3f));
        assertEquals(1, unequal.exitCode(), unequal.output());
        assertTrue(unequal.output().contains("NOT EQUAL"), unequal.output());
    }

    /** The folder of a release, and the file of our logits for some ids. */
    private List<String> released(String family, float added) throws Exception {
        Path run = Files.createTempDirectory(temp, family).resolve("run");
        TestTrainer.train(
                run,
                TestTrainer.Shape.SMALL.with(family.equals("gpt2") ? TestTrainer.gpt2(2) : TestTrainer.llama(2)),
                Lie.NONE);
        int[] ids = new int[SEQUENCES * LENGTH];
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < ids.length; i++) {
            ids[i] = random.nextInt(257);
        }
        float[] logits = logits(run, ids);
        logits[100] += added * (1 + Math.abs(logits[100]));
        float[] asFloats = new float[ids.length];
        for (int i = 0; i < ids.length; i++) {
            asFloats[i] = ids[i];
        }
        Path file = run.resolveSibling("ours.safetensors");
        try (OutputStream out = Files.newOutputStream(file)) {
            Safetensors.write(
                    List.of(
                            F32Tensor.of("ids", Shape.of(SEQUENCES, LENGTH), asFloats),
                            F32Tensor.of("logits", Shape.of(SEQUENCES, LENGTH, 257), logits)),
                    out);
        }
        return List.of(run.resolve("released").toString(), file.toString());
    }

    /** What the last linear operator of a forward pass without dropout puts out. */
    private static float[] logits(Path folder, int[] ids) throws Exception {
        List<float[]> found = new ArrayList<>();
        try (CommittedRun run = CommittedRun.open(folder, Optional.empty());
                Storage storage = Storage.inMemory();
                StepEngine engine = StepEngine.create(withoutDropout(run.facts().model()), BackendId.REFERENCE, 1)) {
            HostState state = run.checkpointAtOrBefore(new StateIndex(run.endStep()), storage)
                    .state();
            MicroBatch batch = new MicroBatch(SEQUENCES, LENGTH, ids, ids);
            engine.gradient(
                    new GradientRequest(state, 1, 1, 0, List.of(batch), GradientRequest.invCount(ids.length)),
                    event -> keep(event, found));
        }
        return found.getFirst();
    }

    private static void keep(OperatorEvent event, List<float[]> found) {
        if (event.entry().outputs().getFirst().name().equals("logits")) {
            found.add(event.outputs().getFirst().get().clone());
        }
    }

    private static ModelConfig withoutDropout(ModelConfig m) {
        return new ModelConfig(
                m.family(),
                m.vocab(),
                m.context(),
                m.width(),
                m.layers(),
                m.heads(),
                m.kvHeads(),
                m.headDim(),
                m.feedForward(),
                m.normEps(),
                m.ropeTheta(),
                m.tied(),
                ModelConfig.Dropouts.NONE);
    }

    private record Ended(int exitCode, String output) {}

    private static Ended script(List<String> arguments) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>();
        all.add(Path.of(System.getProperty("bitwitness.home", "."))
                .resolve("benchmarks/pytorch/check_release.py")
                .toString());
        all.addAll(arguments);
        return python(all);
    }

    private static Ended python(List<String> arguments) throws IOException, InterruptedException {
        // -B: the sources' folder stays as it is.
        List<String> command = new ArrayList<>(List.of(PYTHON, "-B"));
        command.addAll(arguments);
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Ended(process.waitFor(), output);
        } catch (IOException e) {
            return new Ended(-1, "cannot be started: " + e.getMessage());
        }
    }
}
