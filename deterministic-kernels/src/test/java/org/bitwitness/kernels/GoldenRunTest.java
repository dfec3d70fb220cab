package org.bitwitness.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The golden runs, bit for bit, on every backend of this machine and any number of threads. */
class GoldenRunTest {
    @ParameterizedTest
    @ValueSource(strings = {"gpt2", "llama"})
    void referenceBackendReproducesTheGoldenRun(String family) {
        assertEquals(List.of(), GoldenRun.differences(family, Backends.create(BackendId.REFERENCE, 1), 3));
    }
}
