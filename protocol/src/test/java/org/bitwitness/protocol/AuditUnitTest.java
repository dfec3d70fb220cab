package org.bitwitness.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AuditUnitTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "INIT",
                "FINAL",
                "DATA(shard-00000)",
                "GRADIENT(17,2)",
                "REDUCE(17)",
                "UPDATE(0)",
                "STEP(17)",
                "SEGMENT(10,20)",
                "GRADIENT(0,65535)",
                "STEP(999999999999999999)"
            })
    void readsEveryUnitAndWritesItTheSame(String text) {
        assertEquals(text, AuditUnit.parse(text).text());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "init",
                "INIT()",
                "STEP",
                "STEP()",
                "STEP(01)",
                "STEP( 1)",
                "STEP(1) ",
                " STEP(1)",
                "STEP(+1)",
                "STEP(-1)",
                "STEP(1,2)",
                "GRADIENT(1)",
                "GRADIENT(1,65536)",
                "GRADIENT(1,4294967296)",
                "GRADIENT(1,02)",
                "SEGMENT(20,10)",
                "SEGMENT(5,5)",
                "SEGMENT(1)",
                "DATA()",
                "DATA(../x)",
                "DATA(a/b)",
                "DATA(a,1)",
                "FINAL(1)",
                "STEP(1000000000000000000)",
                "STEP(1",
                "STEP1)",
                "STEP(１)",
                "JUMP(1)"
            })
    void refusesEveryOtherSpelling(String text) {
        assertThrows(IllegalArgumentException.class, () -> AuditUnit.parse(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"step 17"})
    void saysHowUnitsAreWritten(String text) {
        Exception e = assertThrows(IllegalArgumentException.class, () -> AuditUnit.parse(text));
        assertTrue(String.valueOf(e.getMessage()).contains("GRADIENT(17,2)"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"SEGMENT(10,20)"})
    void readsASegmentAsHalfOpen(String text) {
        AuditUnit.Segment segment = assertInstanceOf(AuditUnit.Segment.class, AuditUnit.parse(text));
        assertTrue(segment.steps().contains(new StepIndex(10)));
        assertTrue(segment.steps().contains(new StepIndex(19)));
        assertEquals(10, segment.steps().stepCount());
    }
}
