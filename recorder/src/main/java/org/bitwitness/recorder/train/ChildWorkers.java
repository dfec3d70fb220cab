package org.bitwitness.recorder.train;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.WorkerId;

/** Workers as processes of their own. */
public final class ChildWorkers implements WorkerLauncher {
    private static final int SIGNAL_BASE = 128;

    private final Function<List<String>, ProcessBuilder> starter;

    /**
     * Workers that {@code starter} knows how to start: it gets the arguments {@code --connect PORT --worker ID} and gives
     * a process that reads the token as one line from its standard input and calls {@link Worker#run}.
     */
    public ChildWorkers(Function<List<String>, ProcessBuilder> starter) {
        this.starter = starter;
    }

    @Override
    public WorkerProcess launch(WorkerId worker, int port, Sha256 token) throws IOException {
        ProcessBuilder builder =
                starter.apply(List.of("--connect", Integer.toString(port), "--worker", worker.toString()));
        builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.redirectError(ProcessBuilder.Redirect.INHERIT);
        Process process = builder.start();
        try (OutputStream in = process.getOutputStream()) {
            in.write((token.hex() + "\n").getBytes(StandardCharsets.US_ASCII));
        }
        return new Child(process);
    }

    private record Child(Process process) implements WorkerProcess {
        @Override
        public OptionalLong pid() {
            return OptionalLong.of(process.pid());
        }

        @Override
        public Optional<String> ending(Duration wait) {
            try {
                return process.waitFor(wait.toMillis(), TimeUnit.MILLISECONDS)
                        ? Optional.of(words(process.exitValue()))
                        : Optional.empty();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return Optional.empty();
            }
        }

        @Override
        public void kill() {
            process.destroyForcibly();
        }

        /** The JDK reports a signal as 128 and its number. */
        private static String words(int exit) {
            return switch (exit) {
                case SIGNAL_BASE + 9 -> "was killed by signal 9 (SIGKILL)";
                case SIGNAL_BASE + 15 -> "was ended by signal 15 (SIGTERM)";
                default ->
                    exit > SIGNAL_BASE ? "was ended by signal " + (exit - SIGNAL_BASE) : "ended with exit code " + exit;
            };
        }
    }
}
