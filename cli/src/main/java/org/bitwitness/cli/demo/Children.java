package org.bitwitness.cli.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.cli.support.Relaunch;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.StrictJson;

/**
 * The demo's child processes: each is {@code bitwitness} again, started as a person would start it, with {@code --json}.
 * Nothing reaches a child but its arguments and files, and nothing comes back but its exit code, its document and files.
 */
final class Children implements AutoCloseable {
    private static final Duration STOP_WITHIN = Duration.ofSeconds(5);
    private static final int KEPT_LINES = 20;
    /** Children that compute begin with it; it tells nobody how far they are. */
    private static final String JVM_WARNING = "WARNING: Using incubator modules";

    private static final int MAX_DOCUMENT_BYTES = 64 << 20;

    private final CommandIo io;
    private final Path logs;
    private final List<Process> running = new ArrayList<>();
    private volatile String newestWord = "";

    /** @param logs folder for what the children say on standard error */
    Children(CommandIo io, Path logs) {
        this.io = io;
        this.logs = logs;
    }

    /** A child that is running; {@link #result} waits for it. */
    final class Child {
        private final String name;
        private final Process process;
        private final Thread talk;
        private final Path output;
        private final Deque<String> lastLines = new ArrayDeque<>();

        private Child(String name, Process process, Path output) {
            this.name = name;
            this.process = process;
            this.output = output;
            this.talk = Thread.ofVirtual().name("stderr of " + name).start(this::follow);
        }

        long pid() {
            return process.pid();
        }

        boolean isAlive() {
            return process.isAlive();
        }

        /**
         * Waits for the end and reads the document.
         *
         * @throws CommandFailure with the child's last words, if it ends with a code that is not in {@code accepted}
         */
        Json.Obj result(ExitCode... accepted) throws CommandFailure, InterruptedException, IOException {
            int code = process.waitFor();
            talk.join();
            if (List.of(accepted).stream().noneMatch(ok -> ok.code() == code)) {
                throw new CommandFailure(
                        exitCodeOf(code),
                        "%s ended with exit code %d: %s (all it said: %s)"
                                .formatted(name, code, lastWords(), logs.resolve(name + ".log")));
            }
            if (Files.size(output) > MAX_DOCUMENT_BYTES) {
                throw CommandFailure.usage(name + " printed more than a result can be: see " + output);
            }
            try {
                return StrictJson.object(Files.readAllBytes(output), "output of " + name);
            } catch (ProtocolException e) {
                throw new CommandFailure(
                        ExitCode.USAGE, "%s should print one JSON document: %s".formatted(name, e.getMessage()), e);
            }
        }

        private String lastWords() {
            return lastLines.stream().filter(line -> !line.isBlank()).collect(Collectors.joining(" | "));
        }

        /** Keeps what the child says in a file and shows it where the demo runs verbosely. */
        private void follow() {
            try (BufferedReader in = process.errorReader(StandardCharsets.UTF_8);
                    var log = Files.newBufferedWriter(logs.resolve(name + ".log"))) {
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    log.write(line + "\n");
                    log.flush();
                    lastLines.addLast(line);
                    if (!line.startsWith(JVM_WARNING)) {
                        newestWord = line.strip();
                    }
                    if (lastLines.size() > KEPT_LINES) {
                        lastLines.removeFirst();
                    }
                    if (io.verbose()) {
                        io.note("[" + name + "] " + line);
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** What the child that spoke last said. */
    String newestWord() {
        return newestWord;
    }

    /** Starts {@code bitwitness <arguments> --json} under a name that its log file gets. */
    Child start(String name, List<String> arguments) throws IOException {
        List<String> all = new ArrayList<>(arguments);
        all.add("--json");
        newestWord = "";
        Path output = logs.resolve(name + ".json");
        Process process = Relaunch.process(all)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(output.toFile())
                .start();
        running.add(process);
        return new Child(name, process, output);
    }

    /** Starts a child and waits for its good end. */
    Json.Obj run(String name, List<String> arguments) throws CommandFailure, InterruptedException, IOException {
        return start(name, arguments).result(ExitCode.OK);
    }

    /** Ends what is still running: politely, then not. */
    @Override
    public void close() {
        running.forEach(Process::destroy);
        for (Process process : running) {
            try {
                if (!process.waitFor(STOP_WITHIN.toMillis(), TimeUnit.MILLISECONDS)) {
                    process.destroyForcibly();
                }
            } catch (InterruptedException e) {
                process.destroyForcibly();
                Thread.currentThread().interrupt();
            }
        }
    }

    private static ExitCode exitCodeOf(int code) {
        for (ExitCode exit : ExitCode.values()) {
            if (exit.code() == code && exit != ExitCode.OK) {
                return exit;
            }
        }
        return ExitCode.USAGE;
    }
}
