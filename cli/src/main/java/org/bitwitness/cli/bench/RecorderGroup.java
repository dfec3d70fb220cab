package org.bitwitness.cli.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.Backends;
import org.bitwitness.kernels.StepEngine;
import org.bitwitness.kernels.UpdateRequest;
import org.bitwitness.kernels.UpdateResult;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.kernels.program.RunSetup;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.record.StepRecord;
import org.bitwitness.protocol.tensor.Shape;
import org.bitwitness.recorder.train.TrainingListener;

/**
 * What a recording costs: bytes of the update log against the raw state that it stands for, and how fast an update brings
 * the next state; and bytes and time a step of every policy. Runs on the demo's text are made for it.
 */
final class RecorderGroup implements BenchGroup {
    private static final int STEPS = 12;
    private static final int LONG_STEPS = 1000;

    private static final String LONG = "long run, ";
    private static final String DEMO = "demo's model, ";
    private static final String RESTORE = "state by updates (peer: 400 MB/s)";

    private static final int STATE_TENSORS_PER_PARAMETER = 3;

    private static final String CONFIG = """
        {"dataset": "data", "seed": 1, "workers": 2, "trace": "none",
         "model": {"layers": 4, "width": 128, "heads": 4, "ff": 512, "context": 128},
         "data": {"microBatches": 2, "sequencesPerMicroBatch": 2}, "schedule": {"steps": %d, "warmup": 4},
         "storage": {"checkpointEvery": %d, "commitEvery": %d, "stepsPerSegment": %d, "updates": "gradients"}}
        """.formatted(STEPS, STEPS, STEPS, STEPS);

    @Override
    public String name() {
        return "recorder";
    }

    @Override
    public String describes() {
        return "steps recorded and not, hashing beside openssl, bytes and time a step of every policy and of the update log";
    }

    @Override
    public List<BenchRow> measure(int runs) throws Exception {
        return measure(runs, Selection.ALL);
    }

    @Override
    public List<BenchRow> measure(int runs, Selection only) throws Exception {
        List<BenchRow> rows = new ArrayList<>();
        if (only.has(StateHashing.NAME)) {
            rows.add(StateHashing.measure(runs));
        }
        try (BenchRuns recordings = BenchRuns.create()) {
            rows.addAll(new OnOffRows(recordings).measure(runs, only));
            if (only.has(LONG)) {
                rows.addAll(bytes(LONG, recordings.record("long", longRun(), TrainingListener.NONE), LONG_STEPS));
            }
            if (only.has(DEMO) || only.has(RESTORE)) {
                Path run = recordings.record("run", CONFIG, TrainingListener.NONE);
                rows.addAll(bytes(DEMO, run, STEPS));
                rows.add(restore(run, runs));
            }
            rows.addAll(new PolicyRows(recordings).measure(runs, only));
        }
        return rows.stream().filter(row -> only.has(row.name())).toList();
    }

    private static String longRun() {
        return PolicyRows.longRun(LONG_STEPS);
    }

    /** Less is better, so a ratio above 1 says how many times smaller. Both full states are in the first row. */
    private static List<BenchRow> bytes(String name, Path run, int steps) throws IOException {
        double raw = PolicyRows.size(run.resolve("states/000000000000"));
        double updates = PolicyRows.size(run.resolve("updates")) / steps;
        double any = updates + 2 * raw / steps;
        double gradient = raw / STATE_TENSORS_PER_PARAMETER;
        return List.of(
                new BenchRow(name + "any state", any, raw, "B/step", raw / any, 1, 1),
                new BenchRow(name + "update", updates, gradient, "B/step", gradient / updates, 1, 1));
    }

    /** State bytes a second: an update read from the log and applied, against 400 MB/s. */
    private static BenchRow restore(Path run, int runs) throws Exception {
        RecordingReader reader = RecordingReader.open(run);
        ParameterManifest manifest = ParameterManifest.of(RunSetup.model(reader.descriptor()));
        Map<String, Shape> shapes = new TreeMap<>();
        manifest.parameters().forEach(p -> shapes.put(p.name(), p.shape()));
        long stateBytes =
                manifest.parameters().stream().mapToLong(Parameter::size).sum()
                        * Float.BYTES
                        * STATE_TENSORS_PER_PARAMETER;
        try (StepEngine engine =
                StepEngine.create(RunSetup.tensors(reader.descriptor()), Backends.create(BackendId.VECTOR, 1))) {
            HostState state = HostState.zero(manifest, reader.descriptor().optimizer(), 0);
            return Alternating.gibibytesPerSecond(
                    RESTORE,
                    1,
                    runs,
                    () -> {
                        long started = System.nanoTime();
                        for (long t = 0; t < STEPS; t++) {
                            apply(reader, engine, state, shapes, t);
                        }
                        return STEPS * (double) stateBytes / (1L << 30) / ((System.nanoTime() - started) / 1e9);
                    },
                    () -> 400e6 / (1L << 30));
        }
    }

    private static void apply(
            RecordingReader reader, StepEngine engine, HostState state, Map<String, Shape> shapes, long t)
            throws Exception {
        StepRecord record = reader.stepRecord(new StepIndex(t));
        Map<String, float[]> values = reader.update(record.step(), shapes);
        float[][] data = new float[state.manifest().count()][];
        for (Parameter p : state.manifest().parameters()) {
            data[p.index()] = values.getOrDefault(p.name(), new float[0]);
        }
        UpdateRequest request = new UpdateRequest(
                record.learningRate(), record.clip(), reader.descriptor().optimizer());
        if (engine.update(state, new Gradients(state.manifest(), data), request) != UpdateResult.UPDATED) {
            throw new IllegalStateException("step " + t + " did not update");
        }
    }
}
