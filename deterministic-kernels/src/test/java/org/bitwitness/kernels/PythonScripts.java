package org.bitwitness.kernels;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** Runs the scripts of {@code benchmarks/pytorch}; {@code -Dtests.python=…} names another Python than {@code python3}. */
final class PythonScripts {
    private static final String PYTHON = System.getProperty("tests.python", "python3");
    private static final Path SCRIPTS =
            Path.of(System.getProperty("bitwitness.home", ".")).resolve("benchmarks/pytorch");

    private PythonScripts() {}

    /** How a script ended, and what it printed. */
    record Ended(int exitCode, String output) {
        /** How many lines end so. */
        long linesEnding(String end) {
            return output.lines().filter(line -> line.endsWith(end)).count();
        }
    }

    /** Skips the test where Python lacks one of the modules. */
    static void needs(String modules) {
        Ended ended = python(List.of("-c", "import " + modules));
        Assumptions.assumeTrue(ended.exitCode == 0, () -> PYTHON + " cannot import " + modules + ": " + ended.output);
    }

    static Ended run(String script, List<String> arguments) {
        List<String> all = new ArrayList<>();
        all.add(SCRIPTS.resolve(script).toString());
        all.addAll(arguments);
        return python(all);
    }

    private static Ended python(List<String> arguments) {
        // -B: the sources' folder stays as it is.
        List<String> command = new ArrayList<>(List.of(PYTHON, "-B"));
        command.addAll(arguments);
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor(5, TimeUnit.MINUTES)
                    ? new Ended(process.exitValue(), output)
                    : new Ended(-1, "did not end");
        } catch (IOException e) {
            return new Ended(-1, "cannot be started: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
