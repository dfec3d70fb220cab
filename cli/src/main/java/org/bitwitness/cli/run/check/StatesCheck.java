package org.bitwitness.cli.run.check;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.bitwitness.datasets.SampleOrder;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.kernels.program.RunSetup;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.StateIndex;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.format.RecordingPaths;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.format.StateFile;
import org.bitwitness.protocol.format.TensorInfo;
import org.bitwitness.protocol.record.InitialSpec;
import org.bitwitness.protocol.record.Scalars;
import org.bitwitness.protocol.record.StepRecord;
import org.bitwitness.protocol.record.StorageSpec;
import org.bitwitness.protocol.tensor.DType;

/**
 * Checkpoints are where the descriptor puts them, hold the model's tensors and no others, and hash to the state roots of
 * the step records. Their scalars are those that the steps before lead to.
 */
final class StatesCheck implements Check {
    @Override
    public String name() {
        return "states";
    }

    @Override
    public String file() {
        return RecordingPaths.STATES;
    }

    @Override
    public String run(Subject subject, Findings findings) throws ProtocolException {
        RecordingReader reader = subject.reader();
        Map<String, String> model = new TreeMap<>();
        Map<String, String> all = new TreeMap<>();
        for (Parameter parameter :
                ParameterManifest.of(RunSetup.model(subject.descriptor())).parameters()) {
            String form = DType.F32 + " " + parameter.shape();
            model.put(parameter.name(), form);
            all.put(parameter.name(), form);
            subject.descriptor()
                    .optimizer()
                    .momentPrefixes()
                    .forEach(prefix -> all.put(prefix + parameter.name(), form));
        }
        List<StateIndex> stored = reader.stateIndexes();
        StorageSpec storage = subject.descriptor().storage();
        long passLength = subject.order().map(SampleOrder::passLength).orElse(Long.MAX_VALUE);
        Scalars scalars = Scalars.initial(subject.descriptor().layout());
        for (long index = 0; index <= reader.stepCount(); index++) {
            StateIndex state = new StateIndex(index);
            StateRoot root = root(reader, state);
            boolean due = storage.storesState(index)
                    || (index == reader.stepCount() && reader.last().isFinal());
            if (stored.contains(state)) {
                check(subject, state, root, scalars, model, all, findings);
            } else if (due) {
                findings.add(Difference.of(
                        RecordingPaths.stateScalars(state).text(), "", "a stored state " + state, "missing"));
            }
            if (index < reader.stepCount()) {
                StepRecord record = reader.stepRecord(new StepIndex(index));
                scalars = scalars.after(
                        record.valid(),
                        subject.descriptor().samplesPerStep(record.layout()),
                        passLength,
                        record.layout());
            }
        }
        if (subject.descriptor().initial() instanceof InitialSpec.External external) {
            findings.expect(
                    "commitments/0000.bin",
                    "stateRoot",
                    external.digest(),
                    reader.open().stateRoot());
        }
        return "%d stored, each with the root of its step record".formatted(stored.size());
    }

    private static void check(
            Subject subject,
            StateIndex index,
            StateRoot root,
            Scalars expected,
            Map<String, String> model,
            Map<String, String> all,
            Findings findings)
            throws ProtocolException {
        try (StateFile state = subject.reader().state(index)) {
            checkScalars(subject, index, expected, state.scalars(), findings);
            checkTensors(RecordingPaths.stateModel(index).text(), model, state.parameters(), findings);
            checkTensors(RecordingPaths.stateOptimizer(index).text(), all, state.tensors(), findings);
            StateRoot found = state.stateRoot(
                    subject.descriptor().profile(), subject.reader().descriptorDigest());
            String folder = String.format(Locale.ROOT, "states/%012d", index.value());
            findings.expect(folder, "stateRoot", root, found);
        }
    }

    private static void checkScalars(
            Subject subject, StateIndex index, Scalars expected, Scalars found, Findings findings) {
        String file = RecordingPaths.stateScalars(index).text();
        findings.expect(file, "stateIndex", expected.stateIndex(), found.stateIndex());
        findings.expect(file, "updateCount", expected.updateCount(), found.updateCount());
        findings.expect(file, "schedulePosition", expected.schedulePosition(), found.schedulePosition());
        findings.expect(file, "rngCounter", expected.rngCounter(), found.rngCounter());
        findings.expect(file, "lossScale", expected.lossScale(), found.lossScale());
        findings.expect(file, "layoutDigest", expected.layoutDigest(), found.layoutDigest());
        if (subject.order().isPresent()) {
            findings.expect(file, "epoch", expected.epoch(), found.epoch());
            findings.expect(file, "samplePosition", expected.samplePosition(), found.samplePosition());
        }
    }

    private static void checkTensors(
            String file, Map<String, String> expected, Map<String, TensorInfo> found, Findings findings) {
        expected.forEach((name, form) -> {
            Optional<String> there =
                    Optional.ofNullable(found.get(name)).map(tensor -> tensor.dtype() + " " + tensor.shape());
            findings.expect(file, "tensor " + name, form, there.orElse("missing"));
        });
        for (String name : found.keySet()) {
            if (!expected.containsKey(name)) {
                findings.add(Difference.of(file, "tensor " + name, "no such tensor in this model", "present"));
            }
        }
    }

    private static StateRoot root(RecordingReader reader, StateIndex state) throws ProtocolException {
        return state.value() == 0
                ? reader.open().stateRoot()
                : reader.stepRecord(new StepIndex(state.value() - 1)).stateRootAfter();
    }
}
