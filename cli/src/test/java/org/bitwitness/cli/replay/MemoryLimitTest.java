package org.bitwitness.cli.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.bitwitness.cli.CommandLineRun;
import org.bitwitness.cli.support.Relaunch;
import org.bitwitness.replayer.Lie;
import org.bitwitness.replayer.TestTrainer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code --memory} holds for the processes as the operating system counts them. */
class MemoryLimitTest {
    private static final Pattern LEAST = Pattern.compile("the least it takes is --memory ([0-9]+)M");
    private static final int ENDS_WITHIN_SECONDS = 120;

    @TempDir
    private static Path temp;

    @BeforeAll
    static void train() throws Exception {
        TestTrainer.train(temp.resolve("run"), TestTrainer.Shape.SMALL, Lie.NONE);
    }

    /** What a command of its own process said, and the largest resident sizes that were seen, by process. */
    private record Run(int exitCode, String out, String err, Map<Long, Long> peaks) {
        long peak() {
            return peaks.values().stream().mapToLong(Long::longValue).sum();
        }
    }

    @Test
    void refusesWhatDoesNotFitAndNamesTheSmallestFigureThatDoes() {
        CommandLineRun run = CommandLineRun.of(words("STEP(3)", "100M"));
        assertEquals(1, run.exitCode());
        assertTrue(LEAST.matcher(run.err()).find(), run.err());
        assertTrue(run.err().contains("Nothing was started"), run.err());
        assertFalse(run.err().contains("time "), run.err());
    }

    @Test
    void refusesASizeThatIsNone() {
        CommandLineRun run = CommandLineRun.of(words("STEP(3)", "plenty"));
        assertEquals(1, run.exitCode());
        assertTrue(run.err().contains("--memory should be bytes"), run.err());
    }

    @Test
    void staysBelowTheSmallestFigureThatItNames() throws Exception {
        assumeTrue(Files.isReadable(Path.of("/proc/self/status")), "skipped: no /proc tells what a process takes");
        Run refused = run(words("STEP(3)", "100M"));
        assertEquals(1, refused.exitCode(), refused.err());
        Matcher least = LEAST.matcher(refused.err());
        assertTrue(least.find(), refused.err());
        // The process that plans is never twice of the same size.
        long megabytes = Long.parseLong(least.group(1)) + 16;

        Run run = run(words("STEP(3)", megabytes + "M"));
        assertEquals(0, run.exitCode(), run.err());
        JsonNode document = new ObjectMapper().readTree(run.out());
        assertEquals("REPRODUCED", document.get("verdict").asText());
        JsonNode memory = document.get("memory");
        assertEquals(megabytes << 20, memory.get("limitBytes").asLong());
        assertTrue(memory.get("plannedBytes").asLong() <= megabytes << 20, memory::toString);
        assertTrue(run.peak() <= megabytes << 20, run + " of " + memory);
        assertTrue(
                memory.get("peakResidentBytes").asLong()
                        <= memory.get("plannedBytes").asLong(),
                memory::toString);
        assertTrue(run.err().contains("time "), run.err());
    }

    @Test
    void theReplayDiesWithTheProcessThatStartedIt() throws Exception {
        Process parent = Relaunch.process(List.of(words("SEGMENT(0,6)", "4G")))
                .redirectErrorStream(true)
                .redirectOutput(temp.resolve("killed.log").toFile())
                .start();
        Optional<ProcessHandle> child = Optional.empty();
        while (child.isEmpty() && parent.isAlive()) {
            child = parent.descendants().findFirst();
        }
        parent.destroyForcibly();
        assertTrue(child.isPresent(), () -> "no child: " + read(temp.resolve("killed.log")));
        child.get().onExit().get(ENDS_WITHIN_SECONDS, TimeUnit.SECONDS);
        assertFalse(child.get().isAlive());
    }

    private static String[] words(String unit, String memory) {
        return new String[] {
            "replay", temp.resolve("run").toString(), "--unit", unit, "--threads", "2", "--json", "--memory", memory
        };
    }

    /** In a process of its own, whose peaks and whose child's are read until it ends. */
    private static Run run(String... words) throws Exception {
        Path out = Files.createTempFile(temp, "out", "");
        Path err = Files.createTempFile(temp, "err", "");
        Process process = Relaunch.process(List.of(words))
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        Map<Long, Long> peaks = new HashMap<>();
        while (!process.waitFor(20, TimeUnit.MILLISECONDS)) {
            List<ProcessHandle> all = new ArrayList<>(process.descendants().toList());
            all.add(process.toHandle());
            all.forEach(one -> peaks.merge(one.pid(), peak(one.pid()), Math::max));
        }
        return new Run(process.exitValue(), Files.readString(out), Files.readString(err), peaks);
    }

    /** VmHWM in bytes; 0 of a process that has ended. */
    private static long peak(long pid) {
        try (Stream<String> lines = Files.lines(Path.of("/proc", Long.toString(pid), "status"))) {
            return lines.filter(line -> line.startsWith("VmHWM:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
                    .findFirst()
                    .orElse(0);
        } catch (IOException | java.io.UncheckedIOException e) {
            return 0;
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }
}
