package org.bitwitness.cli.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class ResultOutputTest {
    private static final File FULL = new File("/dev/full");

    private final StringWriter err = new StringWriter();

    @Test
    void aResultThatArrivedKeepsTheExitCodeOfTheCommand() {
        assertEquals(0, settled(new ByteArrayOutputStream(), ExitCode.OK));
        assertEquals(2, settled(new ByteArrayOutputStream(), ExitCode.REFUSED));
        assertEquals("", err.toString());
    }

    @Test
    void aResultThatGotLostNeverExitsWith0() {
        assertEquals(1, settled(failing("No space left on device"), ExitCode.OK));
        assertTrue(err.toString().contains("standard output (No space left on device)"), err.toString());
        assertEquals(2, settled(failing("No space left on device"), ExitCode.REFUSED));
    }

    @Test
    void aReaderThatLeftWantedNoMore() {
        assertEquals(0, settled(failing("Broken pipe"), ExitCode.OK));
        assertEquals("", err.toString());
    }

    @Test
    void aCommandOntoAFullDeviceExitsWith1() throws Exception {
        Assumptions.assumeTrue(FULL.exists(), "Linux has /dev/full");
        Process process = new ProcessBuilder(Relaunch.command(List.of("--version")))
                .redirectOutput(FULL)
                .start();
        process.getOutputStream().close();
        String words = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(1, process.waitFor(), words);
        assertTrue(words.contains("the result could not be written to standard output"), words);
    }

    private int settled(OutputStream to, ExitCode code) {
        ResultOutput results = new ResultOutput(to);
        PrintWriter out = new PrintWriter(results, true, StandardCharsets.UTF_8);
        out.println("verified");
        return results.settle(code.code(), new PrintWriter(err, true));
    }

    private static OutputStream failing(String why) {
        return new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException(why);
            }
        };
    }
}
