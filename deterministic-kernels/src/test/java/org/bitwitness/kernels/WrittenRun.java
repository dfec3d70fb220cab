package org.bitwitness.kernels;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.ModelTensors;
import org.bitwitness.kernels.program.StepConfig;
import org.bitwitness.kernels.program.StepConfigJson;
import org.bitwitness.protocol.ProtocolException;

/**
 * A run of one step in the form of the golden files, made by the vector backend: a configuration and what it came to.
 *
 * @param settings the configuration without its workers
 * @param workers lengths of sequences: one list per micro-batch, in one list per worker
 */
record WrittenRun(String settings, List<List<List<Integer>>> workers) {
    private static final int VOCAB = 67;
    private static final int PADDED_OUT_OF_TEN = 2;

    WrittenRun {
        workers = List.copyOf(workers);
    }

    /** Writes NAME-step1.json and NAME-expected.txt; returns their path without the ending. */
    String write(Path folder, String name, long seed) throws IOException {
        String text = "{\"vocab\":%d,%s,\"workers\":%s}".formatted(VOCAB, settings, batches(new Random(seed)));
        Files.writeString(folder.resolve(name + "-step1.json"), text);
        Files.writeString(folder.resolve(name + "-expected.txt"), results(read(text)));
        return folder.resolve(name).toString();
    }

    private static String results(StepConfig step) {
        try (StepEngine engine = StepEngine.create(
                ModelTensors.of(step.model(), step.manifest(), step.profile()), Backends.create(BackendId.VECTOR, 2))) {
            HostState state = engine.initialState(step.initial(), step.optimizer());
            String init = "init {\"tensors\":%d,\"state_sha256\":\"%s\"}\n"
                    .formatted(
                            state.tensors().size(), GoldenFiles.stateHash(state).hex());
            StepRunner.Outcome outcome = StepRunner.run(engine, step, state);
            if (!outcome.valid()) {
                throw new IllegalStateException("the step is INVALID");
            }
            ReduceResult r = outcome.reduction();
            return init
                    + ("{\"step\":1,\"loss_bits\":\"%08x\",\"norm_bits\":\"%016x\",\"clip_bits\":\"%08x\","
                                    + "\"count\":%d,\"state_sha256\":\"%s\"}\n")
                            .formatted(
                                    Float.floatToRawIntBits(r.loss()),
                                    Double.doubleToRawLongBits(r.norm()),
                                    Float.floatToRawIntBits(r.clip()),
                                    step.targetCount(),
                                    GoldenFiles.stateHash(state).hex());
        }
    }

    private static StepConfig read(String text) {
        try {
            return StepConfigJson.read(text.getBytes(StandardCharsets.UTF_8), "config");
        } catch (ProtocolException e) {
            throw new IllegalStateException(e);
        }
    }

    private String batches(Random random) {
        List<String> out = new ArrayList<>();
        for (List<List<Integer>> microBatches : workers) {
            out.add(microBatches.stream()
                    .map(lengths -> "{\"ids\":%s,\"targets\":%s}"
                            .formatted(rows(lengths, random, 0), rows(lengths, random, PADDED_OUT_OF_TEN)))
                    .collect(Collectors.joining(",", "[", "]")));
        }
        return "[" + String.join(",", out) + "]";
    }

    private static String rows(List<Integer> lengths, Random random, int padded) {
        return lengths.stream()
                .map(length -> IntStream.range(0, length)
                        .map(i -> random.nextInt(10) < padded ? -1 : random.nextInt(VOCAB))
                        .mapToObj(Integer::toString)
                        .collect(Collectors.joining(",", "[", "]")))
                .collect(Collectors.joining(",", "[", "]"));
    }
}
