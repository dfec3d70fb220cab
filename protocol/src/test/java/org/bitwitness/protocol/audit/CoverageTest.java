package org.bitwitness.protocol.audit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StepIndex;
import org.junit.jupiter.api.Test;

class CoverageTest {
    private static final Sha256 ANN = Hashing.sha256("ann");
    private static final Sha256 BOB = Hashing.sha256("bob");

    @Test
    void coversAStepThatWasReplayedWhole() {
        Coverage coverage = Coverage.of(4, 2, 1, Map.of(ANN, units("STEP(2)")));
        assertEquals(1, coverage.coveredSteps());
        assertTrue(coverage.covers(new StepIndex(2)));
        assertFalse(coverage.covers(new StepIndex(1)));
    }

    @Test
    void coversAStepThatWasReplayedInParts() {
        Coverage coverage = Coverage.of(
                4, 2, 1, Map.of(ANN, units("GRADIENT(1,0)", "REDUCE(1)"), BOB, units("GRADIENT(1,1)", "UPDATE(1)")));
        assertTrue(coverage.covers(new StepIndex(1)));
    }

    @Test
    void doesNotCoverAStepWithOnePartMissing() {
        for (String missing : Set.of("GRADIENT(1,0)", "GRADIENT(1,1)", "REDUCE(1)", "UPDATE(1)")) {
            Set<AuditUnit> rest = units("GRADIENT(1,0)", "GRADIENT(1,1)", "REDUCE(1)", "UPDATE(1)").stream()
                    .filter(unit -> !unit.text().equals(missing))
                    .collect(Collectors.toSet());
            assertFalse(Coverage.of(4, 2, 1, Map.of(ANN, rest)).covers(new StepIndex(1)), "without " + missing);
        }
    }

    @Test
    void countsOneAuditorOnceHoweverOften() {
        Coverage coverage = Coverage.of(4, 2, 2, Map.of(ANN, units("STEP(0)", "SEGMENT(0,2)")));
        assertEquals(0, coverage.coveredSteps());
        coverage = Coverage.of(4, 2, 2, Map.of(ANN, units("SEGMENT(0,2)"), BOB, units("STEP(1)")));
        assertEquals(java.util.List.of(1, 2, 0, 0), coverage.replicasByStep());
        assertEquals(1, coverage.coveredSteps());
    }

    @Test
    void countsNoStepForUnitsThatReplayNone() {
        Coverage coverage = Coverage.of(3, 2, 1, Map.of(ANN, units("INIT", "FINAL", "DATA(shard-00000)")));
        assertEquals(0, coverage.coveredSteps());
    }

    @Test
    void ignoresUnitsOutsideTheRun() {
        Coverage coverage =
                Coverage.of(3, 2, 1, Map.of(ANN, units("STEP(3)", "SEGMENT(2,999999999999)", "GRADIENT(1,65535)")));
        assertEquals(java.util.List.of(0, 0, 1), coverage.replicasByStep());
    }

    @Test
    void refusesARunThatIsTooLargeToCount() {
        assertThrows(IllegalArgumentException.class, () -> Coverage.of(1L << 40, 2, 1, Map.of()));
    }

    private static Set<AuditUnit> units(String... texts) {
        return Arrays.stream(texts).map(AuditUnit::parse).collect(Collectors.toSet());
    }
}
