package org.bitwitness.cli.drill;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.kernels.program.RunSetup;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.PlantedFault;
import org.bitwitness.protocol.record.PlantedFault.BitPlace;
import org.bitwitness.protocol.record.StorageSpec;

/**
 * Draws faults for a run: each at a random step, of a random kind, in a random place. A replay goes from a stored state
 * on and stops at the first difference, so there is one fault between two stored states at most: no fault hides another.
 */
final class FaultDraw {
    /** Fraction bits and the sign: a step with them stays finite, so that it looks like any other. */
    private static final int FRACTION_BITS = 23;

    private static final int SIGN_BIT = 31;
    private static final List<Float> GRADIENT_FACTORS = List.of(1.5f, -1f, 1.0001f, 0.5f);
    private static final List<Double> RATE_FACTORS = List.of(1.01, 0.5, 2.0);

    private enum Kind {
        SCALE,
        GRADIENT_BIT,
        SWAP,
        REDUCTION_BIT,
        SKIP_UPDATE,
        RATE,
        STATE_BIT
    }

    private final Descriptor descriptor;
    private final ParameterManifest manifest;
    private final Random random;

    FaultDraw(Descriptor descriptor, Random random) {
        this.descriptor = descriptor;
        this.manifest = ParameterManifest.of(RunSetup.model(descriptor));
        this.random = random;
    }

    List<PlantedFault> draw(int count) throws CommandFailure {
        long steps = descriptor.schedule().steps();
        StorageSpec storage = descriptor.storage();
        long places = storage.storedBefore(steps);
        if (count < 0 || count > places) {
            throw CommandFailure.usage(
                    ("this run has room for 0 to %d faults, one between two stored states, got %d: give it more steps, or"
                                    + " a smaller storage.checkpointEvery")
                            .formatted(places, count));
        }
        List<Long> chosen = new ArrayList<>();
        while (chosen.size() < count) {
            long place = random.nextLong(places);
            if (!chosen.contains(place)) {
                chosen.add(place);
            }
        }
        List<Kind> kinds = kinds(count);
        List<PlantedFault> faults = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long first = storage.storedAt(chosen.get(i));
            long step = first + random.nextLong(Math.min(storage.storedAt(chosen.get(i) + 1), steps) - first);
            faults.add(fault(kinds.get(i), new StepIndex(step)));
        }
        faults.sort(Comparator.comparingLong(fault -> fault.step().value()));
        return faults;
    }

    /** In random order, each kind once before any comes again. */
    private List<Kind> kinds(int count) {
        List<Kind> all = new ArrayList<>(List.of(Kind.values()));
        if (descriptor.data().microBatches() < 2) {
            all.remove(Kind.SWAP);
        }
        List<Kind> out = new ArrayList<>();
        while (out.size() < count) {
            Collections.shuffle(all, random);
            out.addAll(all);
        }
        return out;
    }

    private PlantedFault fault(Kind kind, StepIndex step) {
        return switch (kind) {
            case SCALE -> new PlantedFault.ScaledGradient(step, worker(), one(GRADIENT_FACTORS));
            case GRADIENT_BIT -> new PlantedFault.GradientBit(step, worker(), place());
            case SWAP -> swap(step);
            case REDUCTION_BIT -> new PlantedFault.ReductionBit(step, place());
            case SKIP_UPDATE -> new PlantedFault.OtherLearningRate(step, 0);
            case RATE -> new PlantedFault.OtherLearningRate(step, one(RATE_FACTORS));
            case STATE_BIT -> new PlantedFault.StateBit(step, place());
        };
    }

    private PlantedFault swap(StepIndex step) {
        int count = descriptor.data().microBatches();
        int second = 1 + random.nextInt(count - 1);
        return new PlantedFault.SwappedMicroBatches(step, worker(), random.nextInt(second), second);
    }

    private WorkerId worker() {
        return one(descriptor.layout().workers());
    }

    private BitPlace place() {
        Parameter parameter = one(manifest.parameters());
        int bit = random.nextInt(FRACTION_BITS + 1);
        return new BitPlace(parameter.name(), random.nextInt(parameter.size()), bit == FRACTION_BITS ? SIGN_BIT : bit);
    }

    private <T> T one(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }
}
