package org.bitwitness.kernels.program;

import org.bitwitness.protocol.record.ScheduleSpec;

/**
 * The learning rate as a pure binary64 function of schedule and step: no fused operations, left to right, {@code StrictMath}.
 * W = warmup, N = steps.
 *
 * <ul>
 *   <li>t &lt; W: base·((t + 1)/W)
 *   <li>constant: base
 *   <li>cosine: min + (0.5·(base − min))·(1 + cos(π·((t − W)/(N − W)))); min from N on
 *   <li>warm-up-stable-decay: base until N − decay, then min + (base − min)·((N − t)/decay); min from N on
 * </ul>
 */
public final class LearningRate {
    private LearningRate() {}

    /**
     * The rate of one step.
     *
     * @param step schedule position, from 0
     */
    public static double at(ScheduleSpec schedule, long step) {
        if (step < 0) {
            throw new IllegalArgumentException("steps count from 0, got " + step);
        }
        double base = schedule.base();
        if (step < schedule.warmup()) {
            return base * ((double) (step + 1) / (double) schedule.warmup());
        }
        return switch (schedule.kind()) {
            case CONSTANT -> base;
            case COSINE -> cosine(schedule, step);
            case WARMUP_STABLE_DECAY -> stableThenDecay(schedule, step);
        };
    }

    private static double cosine(ScheduleSpec s, long step) {
        if (step >= s.steps()) {
            return s.min();
        }
        double progress = (double) (step - s.warmup()) / (double) (s.steps() - s.warmup());
        return s.min() + (0.5 * (s.base() - s.min())) * (1 + StrictMath.cos(StrictMath.PI * progress));
    }

    private static double stableThenDecay(ScheduleSpec s, long step) {
        if (step < s.steps() - s.decay()) {
            return s.base();
        }
        if (step >= s.steps()) {
            return s.min();
        }
        return s.min() + (s.base() - s.min()) * ((double) (s.steps() - step) / (double) s.decay());
    }
}
