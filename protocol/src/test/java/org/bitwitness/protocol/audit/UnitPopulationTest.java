package org.bitwitness.protocol.audit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.stream.LongStream;
import org.bitwitness.protocol.AuditUnit;
import org.junit.jupiter.api.Test;

class UnitPopulationTest {
    @Test
    void listsTheUnitsInTheOrderOfThePolicy() {
        assertEquals(
                List.of("INIT", "STEP(0)", "STEP(1)", "STEP(2)", "FINAL"),
                texts(UnitPopulation.of("INIT,STEP,FINAL", 3, true)));
    }

    @Test
    void hasNoFinalUnitBeforeTheFinalCommitment() {
        assertEquals(List.of("INIT", "STEP(0)"), texts(UnitPopulation.of("INIT,STEP,FINAL", 1, false)));
    }

    @Test
    void refusesKindsItCannotList() {
        assertThrows(IllegalArgumentException.class, () -> UnitPopulation.of("INIT,GRADIENT", 3, true));
        assertThrows(IllegalArgumentException.class, () -> UnitPopulation.of("STEP,STEP", 3, true));
        assertThrows(IllegalArgumentException.class, () -> UnitPopulation.of("", 3, true));
    }

    @Test
    void refusesAPlaceOutside() {
        UnitPopulation population = UnitPopulation.of("STEP", 3, true);
        assertThrows(IllegalArgumentException.class, () -> population.unit(3));
        assertThrows(IllegalArgumentException.class, () -> population.unit(-1));
    }

    private static List<String> texts(UnitPopulation population) {
        return LongStream.range(0, population.size())
                .mapToObj(population::unit)
                .map(AuditUnit::text)
                .toList();
    }
}
