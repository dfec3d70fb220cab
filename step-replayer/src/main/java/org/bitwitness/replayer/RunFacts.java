package org.bitwitness.replayer;

import java.util.List;
import java.util.concurrent.Executor;
import org.bitwitness.kernels.TensorRoots;
import org.bitwitness.kernels.program.CombineRule;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.ModelConfig;
import org.bitwitness.kernels.program.ModelTensors;
import org.bitwitness.kernels.program.RunSetup;
import org.bitwitness.protocol.CombinedRoot;
import org.bitwitness.protocol.GradientRoot;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.record.Averaging;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.OptimizerSpec;
import org.bitwitness.protocol.record.Scalars;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;

/** What follows from a descriptor: the rules of a step as the kernels take them, and the roots of its results. */
final class RunFacts {
    /** Hashes on the JVM's common threads; no root depends on them. */
    private static final Executor HASHING = java.util.concurrent.ForkJoinPool.commonPool();

    private final Descriptor descriptor;

    RunFacts(Descriptor descriptor) {
        this.descriptor = descriptor;
    }

    ModelConfig model() {
        return RunSetup.model(descriptor);
    }

    /** Tensors for one engine. */
    ModelTensors tensors() throws StoreDamage {
        try {
            return RunSetup.tensors(descriptor);
        } catch (IllegalStateException e) {
            throw new StoreDamage(String.valueOf(e.getMessage()), e);
        }
    }

    long dropoutSeed() {
        return descriptor.seed();
    }

    Averaging averaging() {
        return descriptor.aggregation().averaging();
    }

    CombineRule combineRule(int workers) {
        return RunSetup.reduction(descriptor, workers);
    }

    OptimizerSpec optimizer() {
        return descriptor.optimizer();
    }

    GradientRoot gradientRoot(Gradients gradients) {
        return TensorRoots.gradient(gradients, HASHING);
    }

    CombinedRoot combinedRoot(Gradients gradients) {
        return TensorRoots.combined(gradients, HASHING);
    }

    StateRoot stateRoot(HostState state, Scalars scalars) {
        return TensorRoots.state(state, scalars, descriptor, HASHING);
    }

    /** Parameters and moments, for proofs of possession. */
    List<float[]> tensors(HostState state) {
        return state.tensors().stream().map(F32Tensor::data).toList();
    }
}
