package org.bitwitness.protocol.audit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class DetectionPowerTest {
    private static final long UNITS = 80_957;

    @Test
    void needsTheNumbersOfAuditsThatTheDesignStates() {
        assertEquals(76_910, DetectionPower.auditsFor(UNITS, 1, 0.95));
        assertEquals(2_390.0, (double) DetectionPower.auditsFor(UNITS, 100, 0.95), 5);
        assertEquals(300.0, (double) DetectionPower.auditsFor(UNITS, 810, 0.95), 3);
    }

    @Test
    void isTheFractionAuditedForOneBadUnit() {
        assertEquals(0.25, DetectionPower.hit(100, 1, 25), 1e-15);
        assertEquals(12.0 / 62, DetectionPower.hit(62, 1, 12), 1e-15);
    }

    @Test
    void agreesWithCountingEveryDraw() {
        // 7 units, 2 bad, 3 drawn: 35 draws, 10 of them from the 5 good ones.
        assertEquals(1 - 10.0 / 35, DetectionPower.hit(7, 2, 3), 1e-15);
        assertEquals(1 - 10.0 / 35, DetectionPower.hit(7, 2, 3), 1e-15);
    }

    @Test
    void isCertainWhenMoreAreDrawnThanAreGood() {
        assertEquals(1.0, DetectionPower.hit(10, 4, 7));
        assertTrue(DetectionPower.hit(10, 4, 6) < 1.0);
    }

    @Test
    void isZeroWithoutAuditsOrWithoutBadUnits() {
        assertEquals(0.0, DetectionPower.hit(10, 4, 0));
        assertEquals(0.0, DetectionPower.hit(10, 0, 10));
    }

    @Test
    void growsWithEveryAudit() {
        for (int k = 1; k <= 60; k++) {
            assertTrue(DetectionPower.hit(62, 3, k) >= DetectionPower.hit(62, 3, k - 1), "k = " + k);
        }
    }

    @Test
    void refusesMoreBadUnitsOrAuditsThanThereAreUnits() {
        assertThrows(IllegalArgumentException.class, () -> DetectionPower.hit(10, 11, 1));
        assertThrows(IllegalArgumentException.class, () -> DetectionPower.hit(10, 1, 11));
        assertThrows(IllegalArgumentException.class, () -> DetectionPower.auditsFor(10, 0, 0.5));
    }
}
