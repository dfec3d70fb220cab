package org.bitwitness.cli.drill;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bitwitness.cli.CommandLineRun;
import org.bitwitness.cli.support.Relaunch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code audit work --memory} holds for both of its processes as the operating system counts them; on the drills' stage. */
class AuditMemoryTest {
    private static final Pattern LEAST = Pattern.compile("the least it takes is --memory ([0-9]+)M");

    @TempDir
    private Path folder;

    @Test
    void staysBelowTheSmallestFigureThatItNamesAndDrawsNothingBelowThat() throws Exception {
        assumeTrue(Files.isReadable(Path.of("/proc/self/status")), "skipped: no /proc tells what a process takes");
        try (DrillStage stage = new DrillStage(folder)) {
            CommandLineRun trained = stage.logged(
                    "trainer", "train", "--config", stage.config(1, 4), "--out", stage.at("run"), "--in-process");
            assertEquals(0, trained.exitCode(), trained.err());
            long entries = stage.survey().log().size();

            Ended refused = audit(stage, "100M");
            assertEquals(1, refused.code(), refused.err());
            Matcher least = LEAST.matcher(refused.err());
            assertTrue(least.find(), refused.err());
            assertTrue(refused.err().contains("Nothing was drawn or started"), refused.err());
            assertEquals(entries, stage.survey().log().size());

            // The process that plans is never twice of the same size.
            long megabytes = Long.parseLong(least.group(1)) + 16;
            Ended ended = audit(stage, megabytes + "M");
            assertEquals(0, ended.code(), ended.err());
            JsonNode document = new ObjectMapper().readTree(ended.out());
            assertEquals(2, document.get("verdicts").size());
            long peak = document.get("memory").get("peakResidentBytes").asLong()
                    + document.get("memory").get("waitingResidentBytes").asLong();
            assertTrue(peak > 0 && peak <= megabytes << 20, document.get("memory") + " of " + megabytes);
            assertTrue(ended.err().contains("1 at a time"), ended.err());
            assertFalse(ended.err().contains("INCONCLUSIVE"), ended.err());
        }
    }

    private record Ended(int code, String out, String err) {}

    private Ended audit(DrillStage stage, String memory) throws Exception {
        Path out = Files.createTempFile(folder, "out", "");
        Path err = Files.createTempFile(folder, "err", "");
        int code = Relaunch.process(stage.words(
                        "honest",
                        "audit",
                        "work",
                        "--run",
                        stage.at("run"),
                        "--out",
                        stage.at("verdicts"),
                        "--threads",
                        "2",
                        "--spot",
                        "STEP(2)",
                        "--spot",
                        "FINAL",
                        "--json",
                        "--memory",
                        memory))
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start()
                .waitFor();
        return new Ended(code, Files.readString(out), Files.readString(err));
    }
}
