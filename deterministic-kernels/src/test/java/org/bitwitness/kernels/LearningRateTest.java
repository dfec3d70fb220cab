package org.bitwitness.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.bitwitness.kernels.program.LearningRate;
import org.bitwitness.protocol.record.ScheduleSpec;
import org.bitwitness.protocol.record.ScheduleSpec.Kind;
import org.junit.jupiter.api.Test;

/** The schedule as a pure function of the step. */
class LearningRateTest {
    @Test
    void cosineWarmsUpLinearlyAndFallsToItsMinimum() {
        ScheduleSpec s = new ScheduleSpec(Kind.COSINE, 3e-3, 1e-4, 10, 60, 0);
        assertEquals(3e-3 * (1.0 / 10.0), LearningRate.at(s, 0));
        assertEquals(3e-3, LearningRate.at(s, 9));
        assertEquals(1e-4 + (0.5 * (3e-3 - 1e-4)) * 2, LearningRate.at(s, 10));
        assertEquals(
                1e-4 + (0.5 * (3e-3 - 1e-4)) * (1 + StrictMath.cos(StrictMath.PI * (25.0 / 50.0))),
                LearningRate.at(s, 35));
        assertEquals(1e-4, LearningRate.at(s, 60));
        for (int t = 11; t < 60; t++) {
            assertTrue(LearningRate.at(s, t) < LearningRate.at(s, t - 1));
        }
    }

    @Test
    void constantAndStableThenDecay() {
        ScheduleSpec constant = new ScheduleSpec(Kind.CONSTANT, 0.1, 0.1, 2, 10, 0);
        assertEquals(0.05, LearningRate.at(constant, 0));
        assertEquals(0.1, LearningRate.at(constant, 9));
        ScheduleSpec wsd = new ScheduleSpec(Kind.WARMUP_STABLE_DECAY, 0.1, 0.0, 2, 10, 4);
        assertEquals(0.1, LearningRate.at(wsd, 6));
        assertEquals(0.1 * (3.0 / 4.0), LearningRate.at(wsd, 7));
        assertEquals(0.0, LearningRate.at(wsd, 10));
        assertThrows(IllegalArgumentException.class, () -> LearningRate.at(wsd, -1));
    }

    @Test
    void powersAreComputedBySquaringInAFixedOrder() {
        assertEquals(1.0, Updater.power(0.9, 0));
        assertEquals(0.9 * 0.9 * (0.9 * 0.9 * 0.9 * 0.9), Updater.power(0.9, 6), 1e-16);
        double p2 = 0.95 * 0.95;
        double p4 = p2 * p2;
        assertEquals((0.95 * p4) * (p4 * p4), Updater.power(0.95, 13));
    }
}
