package org.bitwitness.cli.run.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.kernels.program.RunSetup;
import org.bitwitness.protocol.CombinedRoot;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.format.RecordingPaths;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.record.StepRecord;
import org.bitwitness.protocol.record.UpdatePolicy;
import org.bitwitness.protocol.tensor.Shape;
import org.bitwitness.protocol.tensor.TensorDigests;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;

/**
 * The update log holds the combined gradient of every valid step and of no other, and each hashes to the combinedRoot of
 * its step record. That it leads from one state to the next, a replay of the UPDATE says.
 */
final class UpdatesCheck implements Check {
    @Override
    public String name() {
        return "updates";
    }

    @Override
    public String file() {
        return RecordingPaths.UPDATES;
    }

    @Override
    public String run(Subject subject, Findings findings) throws ProtocolException {
        RecordingReader reader = subject.reader();
        boolean keeps = subject.descriptor().storage().updates() == UpdatePolicy.GRADIENTS;
        Set<Long> stored = new TreeSet<>();
        reader.files().forEach(path -> RecordingPaths.updateStep(path).ifPresent(stored::add));
        Map<String, Shape> shapes = new TreeMap<>();
        for (Parameter p :
                ParameterManifest.of(RunSetup.model(subject.descriptor())).parameters()) {
            shapes.put(p.name(), p.shape());
        }
        int checked = 0;
        for (long t = 0; t < reader.stepCount(); t++) {
            StepRecord record = reader.stepRecord(new StepIndex(t));
            boolean expected = keeps && record.valid();
            String file = RecordingPaths.update(t).text();
            findings.expect(file, "present", expected, stored.remove(t));
            if (expected && reader.store().exists(RecordingPaths.update(t))) {
                findings.expect(file, "combinedRoot", record.combinedRoot(), root(reader, record.step(), shapes));
                checked++;
            }
        }
        for (long step : stored) {
            findings.expect(RecordingPaths.update(step).text(), "present", false, true);
        }
        return keeps
                ? "%d combined gradients, each with the root of its step record".formatted(checked)
                : "the descriptor's policy is none: there is nothing to compare";
    }

    private static CombinedRoot root(RecordingReader reader, StepIndex step, Map<String, Shape> shapes)
            throws ProtocolException {
        List<F32Tensor> tensors = new ArrayList<>();
        Map<String, float[]> values = reader.update(step, shapes);
        shapes.forEach(
                (name, shape) -> tensors.add(F32Tensor.of(name, shape, values.getOrDefault(name, new float[0]))));
        return new CombinedRoot(TensorDigests.tensorsRoot(tensors, Runnable::run));
    }
}
