package org.bitwitness.protocol.record;

import java.util.Optional;
import org.bitwitness.protocol.Phase;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.bytes.CanonicalEncoder;

/**
 * A fault that a drill plants in one step of a run. The trainer commits to what came of it, so nothing but a replay of
 * that step shows it.
 */
public sealed interface PlantedFault {
    /** The step that does not reproduce. */
    StepIndex step();

    /** Where in the step a replay finds it first. */
    Phase phase();

    /** Whose work it is in; absent where it is in everybody's. */
    Optional<WorkerId> worker();

    /** The name of its kind in JSON and in canonical bytes. */
    String kind();

    /** A short word on what was done, for people. */
    String story();

    /** {@code E(drill-fault, kind, step, …)}: then what its kind has, in the order of its record. */
    byte[] toBytes();

    /**
     * One bit of a tensor.
     *
     * @param element in row-major order
     * @param bit 0 is the lowest
     */
    record BitPlace(String tensor, long element, int bit) {
        public BitPlace {
            if (element < 0 || bit < 0 || bit >= Integer.SIZE) {
                throw new IllegalArgumentException(
                        "an element is 0 or more and a bit 0 to 31, got %d and %d".formatted(element, bit));
            }
            if (tensor.isEmpty() || tensor.length() > 256) {
                throw new IllegalArgumentException("the name of a tensor has 1 to 256 characters");
            }
        }

        /** Turns the bit over. */
        public void flip(float[] data) {
            int index = Math.toIntExact(element);
            data[index] = Float.intBitsToFloat(Float.floatToRawIntBits(data[index]) ^ (1 << bit));
        }

        private CanonicalEncoder into(CanonicalEncoder out) {
            return out.text(tensor).u64(element).u64(bit);
        }

        @Override
        public String toString() {
            return "bit %d of element %d of %s".formatted(bit, element, tensor);
        }
    }

    /** A worker multiplies its gradient. */
    record ScaledGradient(StepIndex step, WorkerId id, float factor) implements PlantedFault {
        public static final String KIND = "scale-gradient";

        public ScaledGradient {
            if (!Float.isFinite(factor) || factor == 1f) {
                throw new IllegalArgumentException("a factor is finite and not 1, got " + factor);
            }
        }

        @Override
        public Phase phase() {
            return Phase.EMIT;
        }

        @Override
        public Optional<WorkerId> worker() {
            return Optional.of(id);
        }

        @Override
        public String kind() {
            return KIND;
        }

        @Override
        public String story() {
            return "gradient times " + factor;
        }

        @Override
        public byte[] toBytes() {
            return begin(this).u64(id.value()).f32(factor).toBytes();
        }
    }

    /** A worker turns one bit of its gradient over. */
    record GradientBit(StepIndex step, WorkerId id, BitPlace place) implements PlantedFault {
        public static final String KIND = "gradient-bit";

        @Override
        public Phase phase() {
            return Phase.EMIT;
        }

        @Override
        public Optional<WorkerId> worker() {
            return Optional.of(id);
        }

        @Override
        public String kind() {
            return KIND;
        }

        @Override
        public String story() {
            return "%s of the gradient".formatted(place);
        }

        @Override
        public byte[] toBytes() {
            return place.into(begin(this).u64(id.value())).toBytes();
        }
    }

    /** A worker reads two of its micro-batches in the place of each other, and records that. */
    record SwappedMicroBatches(StepIndex step, WorkerId id, int first, int second) implements PlantedFault {
        public static final String KIND = "swap-micro-batches";

        public SwappedMicroBatches {
            if (first < 0 || second <= first) {
                throw new IllegalArgumentException("need 0 <= first < second, got %d and %d".formatted(first, second));
            }
        }

        @Override
        public Phase phase() {
            return Phase.DATA;
        }

        @Override
        public Optional<WorkerId> worker() {
            return Optional.of(id);
        }

        @Override
        public String kind() {
            return KIND;
        }

        @Override
        public String story() {
            return "micro-batches %d and %d swapped".formatted(first, second);
        }

        @Override
        public byte[] toBytes() {
            return begin(this).u64(id.value()).u64(first).u64(second).toBytes();
        }
    }

    /** The coordinator turns one bit of the combined gradient over. */
    record ReductionBit(StepIndex step, BitPlace place) implements PlantedFault {
        public static final String KIND = "reduction-bit";

        @Override
        public Phase phase() {
            return Phase.REDUCE;
        }

        @Override
        public Optional<WorkerId> worker() {
            return Optional.empty();
        }

        @Override
        public String kind() {
            return KIND;
        }

        @Override
        public String story() {
            return "%s of the combined gradient".formatted(place);
        }

        @Override
        public byte[] toBytes() {
            return place.into(begin(this)).toBytes();
        }
    }

    /** Everybody updates with another learning rate than is recorded; with factor 0 no parameter moves. */
    record OtherLearningRate(StepIndex step, double factor) implements PlantedFault {
        public static final String KIND = "learning-rate";

        public OtherLearningRate {
            if (!Double.isFinite(factor) || factor < 0 || factor == 1) {
                throw new IllegalArgumentException("a factor is finite, not negative and not 1, got " + factor);
            }
        }

        @Override
        public Phase phase() {
            return Phase.UPDATE;
        }

        @Override
        public Optional<WorkerId> worker() {
            return Optional.empty();
        }

        @Override
        public String kind() {
            return KIND;
        }

        @Override
        public String story() {
            return factor == 0 ? "update of the parameters skipped" : "learning rate times " + factor;
        }

        @Override
        public byte[] toBytes() {
            return begin(this).f64(factor).toBytes();
        }
    }

    /** Everybody turns one bit of the state after the step over, so checkpoints hold it and training goes on with it. */
    record StateBit(StepIndex step, BitPlace place) implements PlantedFault {
        public static final String KIND = "state-bit";

        @Override
        public Phase phase() {
            return Phase.UPDATE;
        }

        @Override
        public Optional<WorkerId> worker() {
            return Optional.empty();
        }

        @Override
        public String kind() {
            return KIND;
        }

        @Override
        public String story() {
            return "%s of the state after the step".formatted(place);
        }

        @Override
        public byte[] toBytes() {
            return place.into(begin(this)).toBytes();
        }
    }

    private static CanonicalEncoder begin(PlantedFault fault) {
        return CanonicalEncoder.of("drill-fault")
                .text(fault.kind())
                .u64(fault.step().value());
    }
}
