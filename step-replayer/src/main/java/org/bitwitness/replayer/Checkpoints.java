package org.bitwitness.replayer;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.StateIndex;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.format.StateFile;
import org.bitwitness.protocol.format.TensorInfo;
import org.bitwitness.protocol.record.OptimizerSpec;
import org.bitwitness.protocol.tensor.DType;
import org.jspecify.annotations.Nullable;

/** Reads stored states: exactly the tensors of the model and its optimizer, each of its shape, nothing else. */
final class Checkpoints {
    private Checkpoints() {}

    static LoadedState load(RecordingReader reader, RunFacts facts, StateIndex index, Storage storage)
            throws StoreDamage {
        try (StateFile file = reader.state(index)) {
            ParameterManifest manifest = ParameterManifest.of(facts.model());
            requireExactly(file, manifest, facts.optimizer(), index);
            HostState state =
                    storage.state(manifest, facts.optimizer(), file.scalars().updateCount());
            List<String> prefixes = new ArrayList<>(List.of(""));
            prefixes.addAll(state.momentPrefixes());
            for (Parameter p : manifest.parameters()) {
                for (String prefix : prefixes) {
                    float[] read = file.read(prefix + p.name());
                    if (state.inMemory()) {
                        System.arraycopy(read, 0, state.get(prefix, p.index()), 0, read.length);
                    } else {
                        state.put(prefix, p.index(), read);
                    }
                }
            }
            return new LoadedState(state, file.scalars(), facts.stateRoot(state, file.scalars()));
        } catch (ProtocolException | IllegalArgumentException e) {
            throw new StoreDamage("checkpoint %s cannot be used: %s".formatted(index, e.getMessage()), e);
        }
    }

    /** Before anything is allocated. */
    private static void requireExactly(
            StateFile file, ParameterManifest manifest, OptimizerSpec optimizer, StateIndex index) throws StoreDamage {
        Set<String> unknown = new HashSet<>(file.tensors().keySet());
        for (Parameter p : manifest.parameters()) {
            List<String> names = new ArrayList<>(List.of(p.name()));
            optimizer.momentPrefixes().forEach(prefix -> names.add(prefix + p.name()));
            for (String name : names) {
                require(file.tensors().get(name), name, p, index);
                unknown.remove(name);
            }
        }
        if (!unknown.isEmpty()) {
            throw new StoreDamage("checkpoint %s has a tensor that the model does not have: %s"
                    .formatted(index, unknown.stream().sorted().findFirst().orElseThrow()));
        }
    }

    private static void require(@Nullable TensorInfo found, String name, Parameter p, StateIndex index)
            throws StoreDamage {
        if (found == null) {
            throw new StoreDamage("checkpoint %s lacks the tensor %s".formatted(index, name));
        }
        if (found.dtype() != DType.F32 || !found.shape().equals(p.shape())) {
            throw new StoreDamage("checkpoint %s: tensor %s should be F32 %s, is %s %s"
                    .formatted(index, name, p.shape(), found.dtype(), found.shape()));
        }
    }
}
