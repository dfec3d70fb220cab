package org.bitwitness.protocol.audit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.bitwitness.protocol.audit.AssuranceLevel.Evidence;
import org.junit.jupiter.api.Test;

class AssuranceLevelTest {
    @Test
    void neverRisesWithoutWitnessesOrABeaconOfItsOwn() {
        assertEquals(AssuranceLevel.BW0, AssuranceLevel.of(new Evidence(false, true, 12, true, false)));
        assertEquals(AssuranceLevel.BW0, AssuranceLevel.of(new Evidence(true, false, 12, true, false)));
    }

    @Test
    void needsADrawnUnitForReproduction() {
        assertEquals(AssuranceLevel.BW1, AssuranceLevel.of(new Evidence(true, true, 0, true, false)));
        assertEquals(AssuranceLevel.BW2, AssuranceLevel.of(new Evidence(true, true, 1, false, false)));
        assertEquals(AssuranceLevel.BW3, AssuranceLevel.of(new Evidence(true, true, 1, true, false)));
    }

    @Test
    void isCappedByAUnitThatDiverged() {
        assertEquals(AssuranceLevel.BW1, AssuranceLevel.of(new Evidence(true, true, 61, true, true)));
    }
}
