package org.bitwitness.replayer;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.protocol.CombinedRoot;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.StateIndex;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.record.Scalars;
import org.bitwitness.protocol.record.StepRecord;
import org.bitwitness.protocol.record.UpdatePolicy;
import org.bitwitness.protocol.tensor.Shape;

/**
 * Reaches a state from the stored one before it by updates alone: the run keeps the combined gradient of every step, so
 * no gradient is computed. Every gradient has to hash to what its step record commits to, and the state that comes out to
 * its committed root.
 */
final class UpdateLog {
    private UpdateLog() {}

    static boolean isKept(CommittedRun run) {
        return run.descriptor().storage().updates() == UpdatePolicy.GRADIENTS;
    }

    /**
     * The state of this index.
     *
     * @return nothing where the updates do not lead to the committed root: then a replay of whole steps finds which one
     *     broke
     * @throws StoreDamage if a stored state or gradient is not the committed one
     */
    static Optional<LoadedState> reach(CommittedRun run, StepReplay runner, StateIndex state) throws StoreDamage {
        LoadedState from = run.checkpointAtOrBefore(state, runner.storage());
        HostState tensors = from.state();
        Scalars scalars = from.scalars();
        ParameterManifest manifest = ParameterManifest.of(run.facts().model());
        while (scalars.stateIndex().value() < state.value()) {
            StepRecord record = run.record(new StepIndex(scalars.stateIndex().value()));
            boolean valid = record.valid();
            if (valid) {
                Optional<HostState> next =
                        runner.applied(tensors, scalars, gradient(run, record, manifest), record.clip());
                if (next.isEmpty()) {
                    return Optional.empty();
                }
                tensors = next.get();
            }
            scalars = scalars.after(
                    valid,
                    run.descriptor().samplesPerStep(record.layout()),
                    run.order().passLength(),
                    record.layout());
        }
        StateRoot root = run.facts().stateRoot(tensors, scalars);
        return root.equals(run.committedRoot(state))
                ? Optional.of(new LoadedState(tensors, scalars, root))
                : Optional.empty();
    }

    private static Gradients gradient(CommittedRun run, StepRecord record, ParameterManifest manifest)
            throws StoreDamage {
        Map<String, Shape> shapes = new TreeMap<>();
        manifest.parameters().forEach(p -> shapes.put(p.name(), p.shape()));
        Gradients gradients;
        try {
            Map<String, float[]> values = run.reader().update(record.step(), shapes);
            float[][] data = new float[manifest.count()][];
            for (Parameter p : manifest.parameters()) {
                data[p.index()] = values.getOrDefault(p.name(), new float[0]);
            }
            gradients = new Gradients(manifest, data);
        } catch (ProtocolException | IllegalArgumentException e) {
            throw new StoreDamage(
                    "the stored update of step %s cannot be used: %s: fetch it again"
                            .formatted(record.step(), e.getMessage()),
                    e);
        }
        CombinedRoot root = run.facts().combinedRoot(gradients);
        if (!root.equals(record.combinedRoot())) {
            throw new StoreDamage("the stored update of step %s should have root %s, has %s: fetch it again"
                    .formatted(record.step(), record.combinedRoot(), root));
        }
        return gradients;
    }
}
