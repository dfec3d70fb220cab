package org.bitwitness.cli.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.bitwitness.cli.support.CommandFailure;

/** A program that is measured from outside, or that measures itself. */
final class PeerProcess {
    private static final int LIMIT_SECONDS = 120;

    private PeerProcess() {}

    /** Wall seconds of one run. */
    static double seconds(List<String> command) throws IOException, InterruptedException, CommandFailure {
        long started = System.nanoTime();
        output(command);
        return (System.nanoTime() - started) / 1e9;
    }

    /** The last line it printed; it must succeed. */
    static String lastLine(List<String> command) throws IOException, InterruptedException, CommandFailure {
        String output = output(command);
        return output.lines()
                .reduce((first, second) -> second)
                .orElseThrow(() -> CommandFailure.usage("'" + String.join(" ", command) + "' printed nothing"));
    }

    /** Everything it printed; it must succeed. */
    static String output(List<String> command) throws IOException, InterruptedException, CommandFailure {
        Process process;
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            throw new CommandFailure(
                    org.bitwitness.cli.support.ExitCode.USAGE,
                    "the peer '" + command.getFirst() + "' does not start: install it, or choose another group",
                    e);
        }
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw CommandFailure.usage("'" + String.join(" ", command) + "' took over " + LIMIT_SECONDS + " s");
        }
        if (process.exitValue() != 0) {
            throw CommandFailure.usage("'" + String.join(" ", command) + "' failed: " + output.strip());
        }
        return output;
    }
}
