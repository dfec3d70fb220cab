package org.bitwitness.kernels;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.protocol.CombinedRoot;
import org.bitwitness.protocol.GradientRoot;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.format.DescriptorJson;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.Scalars;
import org.bitwitness.protocol.tensor.TensorDigests;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;

/**
 * Roots over states and gradients. Every tensor is hashed as a task of the given executor ({@code Runnable::run} for the
 * calling thread); the roots do not depend on it.
 */
public final class TensorRoots {
    private TensorRoots() {}

    /** Root of a state: parameters, its moments, scalars, descriptor. */
    public static StateRoot state(HostState state, Scalars scalars, Descriptor descriptor, Executor executor) {
        Sha256 tensorsRoot =
                state.inMemory() ? TensorDigests.tensorsRoot(state.tensors(), executor) : oneByOne(state.slots());
        return scalars.stateRoot(descriptor.profile(), DescriptorJson.digest(descriptor), tensorsRoot);
    }

    /** Of a state that is not in memory: each tensor is read, hashed and forgotten. */
    private static Sha256 oneByOne(List<HostState.Slot> slots) {
        Map<String, byte[]> leaves = new HashMap<>();
        for (HostState.Slot slot : slots) {
            leaves.put(slot.name(), slot.read().leaf());
        }
        return TensorDigests.tensorsRoot(leaves);
    }

    /** Root of a worker's gradients, as handed to the reduction. */
    public static GradientRoot gradient(Gradients gradients, Executor executor) {
        return new GradientRoot(tensorsRoot(gradients, executor));
    }

    /** Root of the combined gradient, as the update reads it (before clipping). */
    public static CombinedRoot combined(Gradients gradients, Executor executor) {
        return new CombinedRoot(tensorsRoot(gradients, executor));
    }

    private static Sha256 tensorsRoot(Gradients gradients, Executor executor) {
        List<F32Tensor> tensors = new ArrayList<>();
        Map<String, byte[]> leaves = new HashMap<>();
        for (Parameter p : gradients.manifest().parameters()) {
            F32Tensor tensor = F32Tensor.of(p.name(), p.shape(), gradients.tensor(p.index()));
            if (gradients.inMemory()) {
                tensors.add(tensor);
            } else {
                leaves.put(p.name(), tensor.leaf());
            }
        }
        return gradients.inMemory() ? TensorDigests.tensorsRoot(tensors, executor) : TensorDigests.tensorsRoot(leaves);
    }
}
