package org.bitwitness.recorder.train;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.bitwitness.kernels.BeforeEmit;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.kernels.program.RunSetup;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.PlantedFault;
import org.bitwitness.protocol.record.PlantedFault.BitPlace;
import org.bitwitness.protocol.record.PlantedFault.GradientBit;
import org.bitwitness.protocol.record.PlantedFault.OtherLearningRate;
import org.bitwitness.protocol.record.PlantedFault.ReductionBit;
import org.bitwitness.protocol.record.PlantedFault.ScaledGradient;
import org.bitwitness.protocol.record.PlantedFault.StateBit;
import org.bitwitness.protocol.record.PlantedFault.SwappedMicroBatches;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;
import org.bitwitness.recorder.RecorderException;

/** What a drill does otherwise than its descriptor says; nothing at all in every other run. */
final class Faults {
    private final List<PlantedFault> faults;

    Faults(List<PlantedFault> faults) {
        this.faults = List.copyOf(faults);
    }

    /** Refuses faults that this run has no place for, before it begins. */
    static void require(Descriptor descriptor, List<PlantedFault> faults) throws RecorderException {
        ParameterManifest manifest = ParameterManifest.of(RunSetup.model(descriptor));
        HostState shape = HostState.zero(manifest, descriptor.optimizer(), 0);
        for (PlantedFault fault : faults) {
            boolean fits = fault.step().value() < descriptor.schedule().steps()
                    && fault.worker().stream()
                            .allMatch(worker -> descriptor.layout().workers().contains(worker))
                    && switch (fault) {
                        case ScaledGradient _, OtherLearningRate _ -> true;
                        case SwappedMicroBatches swapped ->
                            swapped.second() < descriptor.data().microBatches();
                        case GradientBit bit -> isParameter(manifest, bit.place());
                        case ReductionBit bit -> isParameter(manifest, bit.place());
                        case StateBit bit -> tensor(shape, bit.place()).isPresent();
                    };
            if (!fits) {
                throw new RecorderException(
                        "this run has no place for the fault %s: its steps, workers, micro-batches or tensors are others"
                                .formatted(fault));
            }
        }
    }

    private static boolean isParameter(ParameterManifest manifest, BitPlace place) {
        return manifest.parameters().stream()
                .anyMatch(p -> p.name().equals(place.tensor()) && place.element() < p.size());
    }

    private static Optional<float[]> tensor(HostState state, BitPlace place) {
        return state.tensors().stream()
                .filter(tensor -> tensor.name().equals(place.tensor()))
                .map(F32Tensor::data)
                .filter(data -> place.element() < data.length)
                .findFirst();
    }

    /** Those that a worker has to know: its own, and everybody's. */
    List<PlantedFault> toldTo(WorkerId worker) {
        return faults.stream()
                .filter(fault -> fault instanceof StateBit || fault.worker().equals(Optional.of(worker)))
                .toList();
    }

    private <F extends PlantedFault> Stream<F> at(StepIndex step, Class<F> kind) {
        return faults.stream()
                .filter(fault -> fault.step().equals(step))
                .filter(kind::isInstance)
                .map(kind::cast);
    }

    /** A worker's own faults in its gradient of a step. */
    BeforeEmit gradient(StepIndex step) {
        List<ScaledGradient> scaled = at(step, ScaledGradient.class).toList();
        List<GradientBit> bits = at(step, GradientBit.class).toList();
        if (scaled.isEmpty() && bits.isEmpty()) {
            return BeforeEmit.NOTHING;
        }
        return gradients -> {
            scaled.forEach(fault -> scale(gradients, fault.factor()));
            bits.forEach(
                    fault -> fault.place().flip(gradients.tensor(fault.place().tensor())));
        };
    }

    private static void scale(Gradients gradients, float factor) {
        for (float[] tensor : Worker.tensors(gradients)) {
            for (int i = 0; i < tensor.length; i++) {
                tensor[i] = tensor[i] * factor;
            }
        }
    }

    /** The order in which a worker reads its micro-batches. */
    <T> List<T> order(StepIndex step, WorkerId worker, List<T> microBatches) {
        List<T> out = new ArrayList<>(microBatches);
        at(step, SwappedMicroBatches.class)
                .filter(fault -> fault.id().equals(worker))
                .forEach(fault -> Collections.swap(out, fault.first(), fault.second()));
        return out;
    }

    /** Changes the combined gradient of a step. */
    void combined(StepIndex step, Gradients gradients) {
        at(step, ReductionBit.class)
                .forEach(fault ->
                        fault.place().flip(gradients.tensor(fault.place().tensor())));
    }

    /** The learning rate that is used; the recorded one stays as it should be. */
    double learningRate(StepIndex step, double honest) {
        return at(step, OtherLearningRate.class)
                .findFirst()
                .map(fault -> honest * fault.factor())
                .orElse(honest);
    }

    /** The bits of the state that are turned over after a step. */
    List<BitPlace> stateBits(StepIndex step) {
        return at(step, StateBit.class).map(StateBit::place).toList();
    }

    /** Changes the state after a step. */
    void state(StepIndex step, HostState state) {
        stateBits(step).forEach(place -> {
            tensor(state, place).ifPresent(place::flip);
            state.bounds().forget();
        });
    }
}
