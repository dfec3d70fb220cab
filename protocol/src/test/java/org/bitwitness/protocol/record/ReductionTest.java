package org.bitwitness.protocol.record;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReductionTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "ORDERED",
                "EXACT",
                "MEDIAN",
                "TRIMMED_MEAN(0)",
                "KRUM(1)",
                "MULTI_KRUM(1,3)",
                "GEOMETRIC_MEDIAN(3)"
            })
    void readsTheOneSpellingBack(String text) {
        assertEquals(text, Reduction.parse(text).text());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "median",
                "MEDIAN()",
                "MEDIAN(1)",
                "KRUM",
                "KRUM()",
                "KRUM(01)",
                "KRUM(-1)",
                "KRUM(1",
                "KRUM(1) ",
                "KRUM(1,2)",
                "KRUM(99999999)",
                "MULTI_KRUM(1, 3)",
                "MULTI_KRUM(1,0)",
                "GEOMETRIC_MEDIAN(0)"
            })
    void refusesEveryOtherSpelling(String text) {
        assertThrows(IllegalArgumentException.class, () -> Reduction.parse(text));
    }

    @ParameterizedTest
    @CsvSource({
        "MEDIAN, 1",
        "'TRIMMED_MEAN(2)', 5",
        "'KRUM(0)', 2",
        "'KRUM(1)', 3",
        "'KRUM(3)', 7",
        "'MULTI_KRUM(1,3)', 4",
        "'MULTI_KRUM(2,1)', 5"
    })
    void needsSoManyWorkersAndNotOneLess(String text, int workers) {
        Reduction rule = Reduction.parse(text);
        assertDoesNotThrow(() -> rule.requireWorkers(workers));
        Exception e = assertThrows(IllegalArgumentException.class, () -> rule.requireWorkers(workers - 1));
        assertTrue(String.valueOf(e.getMessage()).contains("at least " + workers), e::toString);
    }
}
