package org.bitwitness.protocol;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The first place where a replay and the recording differ, as finely as the recording lets one say.
 *
 * @param operator name of the operator in the step program, like {@code h.0.attn.scores}
 * @param tensor name of the tensor
 * @param index element in row-major order
 * @param expectedBits hex of the recorded value (a root, or the bits of an element); only where the recording holds it
 * @param computedBits hex of the replayed value
 * @param note what else is known in a sentence, for example that all inputs of the operator were equal
 */
public record FirstDifference(
        Resolution resolution,
        Optional<StepIndex> step,
        Optional<Phase> phase,
        Optional<WorkerId> worker,
        OptionalInt microBatch,
        Optional<String> operator,
        Optional<String> tensor,
        OptionalLong index,
        Optional<String> expectedBits,
        Optional<String> computedBits,
        Optional<String> note) {

    /** Starts with nothing but the resolution. */
    public static Builder at(Resolution resolution) {
        return new Builder(resolution);
    }

    /** One line for people: {@code step 17, worker 2, micro-batch 0, operator accumulate, tensor wte.weight}. */
    public String place() {
        StringBuilder out = new StringBuilder();
        step.ifPresent(value -> append(out, "step " + value));
        worker.ifPresent(value -> append(out, "worker " + value));
        microBatch.ifPresent(value -> append(out, "micro-batch " + value));
        phase.ifPresent(value -> append(out, "phase " + value.text()));
        operator.ifPresent(value -> append(out, "operator " + value));
        tensor.ifPresent(value -> append(out, "tensor " + value));
        index.ifPresent(value -> append(out, "element " + value));
        return out.isEmpty() ? "the whole unit" : out.toString();
    }

    private static void append(StringBuilder out, String part) {
        out.append(out.isEmpty() ? "" : ", ").append(part);
    }

    /** Fills in what is known. */
    public static final class Builder {
        private final Resolution resolution;
        private Optional<StepIndex> step = Optional.empty();
        private Optional<Phase> phase = Optional.empty();
        private Optional<WorkerId> worker = Optional.empty();
        private OptionalInt microBatch = OptionalInt.empty();
        private Optional<String> operator = Optional.empty();
        private Optional<String> tensor = Optional.empty();
        private OptionalLong index = OptionalLong.empty();
        private Optional<String> expectedBits = Optional.empty();
        private Optional<String> computedBits = Optional.empty();
        private Optional<String> note = Optional.empty();

        private Builder(Resolution resolution) {
            this.resolution = resolution;
        }

        public Builder step(StepIndex value) {
            step = Optional.of(value);
            return this;
        }

        public Builder phase(Phase value) {
            phase = Optional.of(value);
            return this;
        }

        public Builder worker(WorkerId value) {
            worker = Optional.of(value);
            return this;
        }

        public Builder microBatch(int value) {
            microBatch = OptionalInt.of(value);
            return this;
        }

        public Builder operator(String value) {
            operator = Optional.of(value);
            return this;
        }

        public Builder tensor(String value) {
            tensor = Optional.of(value);
            return this;
        }

        public Builder index(long value) {
            index = OptionalLong.of(value);
            return this;
        }

        public Builder expectedBits(String value) {
            expectedBits = Optional.of(value);
            return this;
        }

        public Builder computedBits(String value) {
            computedBits = Optional.of(value);
            return this;
        }

        public Builder note(String value) {
            note = Optional.of(value);
            return this;
        }

        public FirstDifference build() {
            return new FirstDifference(
                    resolution,
                    step,
                    phase,
                    worker,
                    microBatch,
                    operator,
                    tensor,
                    index,
                    expectedBits,
                    computedBits,
                    note);
        }
    }
}
