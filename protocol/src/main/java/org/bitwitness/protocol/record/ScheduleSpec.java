package org.bitwitness.protocol.record;

/**
 * Learning rate as a function of the step.
 *
 * @param base highest rate
 * @param min rate at the end of a decay; equal to base for a constant one
 * @param warmup steps of linear warm-up
 * @param steps steps of the whole run
 * @param decay steps of the final decay of {@code WARMUP_STABLE_DECAY}; 0 for the others
 */
public record ScheduleSpec(Kind kind, double base, double min, long warmup, long steps, long decay) {
    /** Shapes after the warm-up. */
    public enum Kind {
        CONSTANT("constant"),
        COSINE("cosine"),
        WARMUP_STABLE_DECAY("wsd");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        public String text() {
            return text;
        }
    }

    public ScheduleSpec {
        require(Double.isFinite(base) && base >= 0, "base should be finite and not negative");
        require(Double.isFinite(min) && min >= 0 && min <= base, "min should be from 0 to base");
        require(steps >= 1, "steps should be at least 1");
        require(warmup >= 0 && warmup <= steps, "warmup should be from 0 to steps");
        require(decay >= 0 && decay <= steps - warmup, "decay should fit between warmup and steps");
        require((decay > 0) == (kind == Kind.WARMUP_STABLE_DECAY), "exactly wsd has a decay");
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalArgumentException("schedule: " + what);
        }
    }
}
