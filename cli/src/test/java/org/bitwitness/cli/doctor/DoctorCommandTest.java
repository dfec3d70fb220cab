package org.bitwitness.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.bitwitness.cli.CommandLineRun;
import org.bitwitness.kernels.gpu.backend.GpuSettings;
import org.junit.jupiter.api.Test;

class DoctorCommandTest {
    @Test
    void testsEveryBackendOfThisMachine() throws Exception {
        CommandLineRun run = CommandLineRun.of("doctor", "--json", "--threads", "1");
        assertEquals(0, run.exitCode(), run.err() + run.out());
        var document = new ObjectMapper().readTree(run.out());
        assertTrue(document.get("passed").asBoolean());
        assertTrue(run.out().contains("backend reference") && run.out().contains("backend vector"), run.out());
        assertTrue(run.out().contains("subnormals"), run.out());
    }

    @Test
    void neverRunsAnotherBackendUnderTheNameOfOneThatIsNotThere() {
        CommandLineRun run = CommandLineRun.of("doctor", "--backend", "cuda", "--device", "4095");
        System.clearProperty(GpuSettings.DEVICE);
        assertEquals(1, run.exitCode());
        assertTrue(run.err().contains("backend cuda is not available: no usable GPU"), run.err());
        assertEquals("", run.out());
    }

    @Test
    void namesTheKnownBackends() {
        CommandLineRun run = CommandLineRun.of("doctor", "--backend", "gpu");
        assertEquals(1, run.exitCode());
        assertTrue(run.err().contains("reference, vector, cuda"), run.err());
    }
}
