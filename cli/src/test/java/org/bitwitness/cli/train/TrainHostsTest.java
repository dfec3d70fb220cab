package org.bitwitness.cli.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bitwitness.cli.Main;
import org.bitwitness.protocol.format.RecordingReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code train --hosts} and {@code train-worker --join}, by the commands that they print. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class TrainHostsTest {
    private static final String CONFIG = """
            {"dataset": "data", "workers": 2,
             "model": {"layers": 1, "width": 16, "heads": 1, "ff": 16, "context": 8, "dropout": 0.1},
             "data": {"microBatches": 1, "sequencesPerMicroBatch": 1},
             "schedule": {"steps": 4, "warmup": 1},
             "storage": {"commitEvery": 2, "checkpointEvery": 2, "stepsPerSegment": 2}}
            """;
    private static final Pattern INVITATION =
            Pattern.compile("on (\\S+): bitwitness train-worker --join (\\S+) --host (\\S+) --token-file run.token"
                    + " --dataset data\\R");

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    @TempDir
    Path folder;

    private record Outcome(int exit, String out, String err) {}

    @BeforeEach
    void prepare() throws Exception {
        Files.writeString(folder.resolve("text.txt"), "to be or not to be, that is the question\n".repeat(20));
        Files.writeString(folder.resolve("config.json"), CONFIG);
        assertEquals(
                0,
                run("dataset", "build", "--out", path("data"), path("text.txt")).exit());
    }

    @AfterEach
    void endThreads() {
        threads.shutdownNow();
    }

    @Test
    void theCommandsThatTrainPrintsStartTheWorkersAndGiveTheSameRun() throws Exception {
        assertEquals(0, train("here", "--in-process").exit());
        Watched err = new Watched();
        StringWriter out = new StringWriter();
        Future<Integer> coordinator = threads.submit(() -> Main.run(
                new PrintWriter(out),
                new PrintWriter(err),
                arguments("run", "--hosts", "a,b", "--listen", "127.0.0.1:0")));
        List<Future<Outcome>> workers = new ArrayList<>();
        for (String host : List.of("a", "b")) {
            String address = err.invitation(host).get();
            workers.add(threads.submit(() -> run(
                    "train-worker",
                    "--join",
                    address,
                    "--host",
                    host,
                    "--token-file",
                    path("run.token"),
                    "--dataset",
                    path("data"))));
        }
        assertEquals(0, coordinator.get(), err.toString());
        for (Future<Outcome> worker : workers) {
            assertEquals(0, worker.get().exit(), worker.get().err());
        }
        assertFalse(Files.exists(folder.resolve("run.token")), "the secret of a run that is over");
        assertEquals(
                RecordingReader.open(folder.resolve("here")).last().stateRoot(),
                RecordingReader.open(folder.resolve("run")).last().stateRoot());
    }

    @Test
    void whatCannotBeIsRefusedBeforeAnythingIsMade() {
        assertUsage("places for 3 workers, the configuration has 2", "--hosts", "a:2,b:1", "--listen", "127.0.0.1:0");
        assertUsage("shared out evenly over 3 hosts", "--hosts", "a,b,c", "--listen", "127.0.0.1:0");
        assertUsage("\"a b\" is no host", "--hosts", "a b", "--listen", "127.0.0.1:0");
        assertUsage("\"a:x\" should be a host and a number", "--hosts", "a:x", "--listen", "127.0.0.1:0");
        assertUsage("--listen should be an address and a port", "--hosts", "a");
        assertUsage("--listen should be an address and a port", "--hosts", "a", "--listen", "127.0.0.1:70000");
        assertUsage("exclude each other", "--hosts", "a", "--listen", "127.0.0.1:0", "--in-process");
        assertUsage("name them with --hosts", "--listen", "127.0.0.1:0");
        assertUsage("--answer-limit is from 1", "--answer-limit", "0");
        Outcome worker = run("train-worker", "--join", "127.0.0.1:1");
        assertEquals(1, worker.exit());
        assertTrue(worker.err().contains("needs --join, --host, --token-file and --dataset"), worker.err());
        Outcome noToken = run(
                "train-worker",
                "--join",
                "127.0.0.1:1",
                "--host",
                "a",
                "--token-file",
                path("text.txt"),
                "--dataset",
                path("data"));
        assertEquals(1, noToken.exit());
        assertTrue(noToken.err().contains("should hold the line bitwitness-join-v1"), noToken.err());
    }

    private void assertUsage(String part, String... more) {
        Outcome refused = train("bad", more);
        assertEquals(1, refused.exit(), refused.err());
        assertTrue(refused.err().contains(part), refused.err());
        assertFalse(Files.exists(folder.resolve("bad")));
        assertFalse(Files.exists(folder.resolve("bad.token")));
        assertFalse(Files.exists(folder.resolve("bad.key")));
    }

    /** What a running command has said so far. */
    private static final class Watched extends StringWriter {
        private final CompletableFuture<String> a = new CompletableFuture<>();
        private final CompletableFuture<String> b = new CompletableFuture<>();

        CompletableFuture<String> invitation(String host) {
            return host.equals("a") ? a : b;
        }

        @Override
        public void flush() {
            Matcher found = INVITATION.matcher(toString());
            while (found.find()) {
                invitation(found.group(3)).complete(found.group(2));
            }
        }
    }

    private Outcome train(String out, String... more) {
        return run(arguments(out, more));
    }

    private String[] arguments(String out, String... more) {
        List<String> arguments = new ArrayList<>(
                List.of("train", "--config", path("config.json"), "--out", path(out), "--backend", "reference"));
        arguments.addAll(List.of(more));
        return arguments.toArray(String[]::new);
    }

    private String path(String name) {
        return folder.resolve(name).toString();
    }

    private static Outcome run(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exit = Main.run(new PrintWriter(out), new PrintWriter(err), arguments);
        return new Outcome(exit, out.toString(), err.toString());
    }
}
