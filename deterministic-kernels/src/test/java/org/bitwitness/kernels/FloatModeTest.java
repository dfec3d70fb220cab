package org.bitwitness.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The start-up check of the floating-point mode. */
class FloatModeTest {
    @Test
    void thisJvmKeepsSubnormals() {
        assertEquals(Optional.empty(), FloatMode.problem());
    }

    @Test
    void aFaultOnNewThreadsOnlyIsFoundAndNamed() {
        Thread here = Thread.currentThread();
        Optional<String> problem = FloatMode.problem(() ->
                Thread.currentThread().equals(here) ? List.of() : List.of("subnormal results are flushed to zero"));
        assertTrue(problem.orElse("").contains("on a new thread subnormal results are flushed"), problem::toString);
    }
}
