package org.bitwitness.recorder.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.recorder.RecorderException;
import org.bitwitness.recorder.wire.Connection;
import org.bitwitness.recorder.wire.JoinMessage;
import org.bitwitness.recorder.wire.JoinToken;
import org.bitwitness.recorder.wire.MessageType;
import org.bitwitness.recorder.wire.TlsIdentity;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Workers that join from other hosts; here those are several addresses of the loopback interface, which only Linux has. */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class HostWorkersTest {
    static final String VERSION = "1.2.3";

    private static final String TWO_WORKERS = TestRuns.CONFIG.replace("\"workers\": 3", "\"workers\": 2");
    private static final String ONE_WORKER = TestRuns.CONFIG.replace("\"workers\": 3", "\"workers\": 1");

    private final TlsIdentity identity = TlsIdentity.create();
    private final JoinToken token = JoinToken.create(identity.fingerprint());
    private final CompletableFuture<Integer> port = new CompletableFuture<>();
    private final List<String> joined = new CopyOnWriteArrayList<>();
    private final List<Process> processes = new ArrayList<>();
    private ExchangeSetting exchange = ExchangeSetting.STAR;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    @TempDir
    Path folder;

    @BeforeEach
    void makeDataset() throws Exception {
        TestRuns.dataset(folder.resolve("data"));
    }

    @AfterEach
    void endWorkers() {
        processes.forEach(Process::destroyForcibly);
        threads.shutdownNow();
    }

    @Test
    void processesOnTwoAddressesThatExchangeGradientsRecordTheSameBytesAsWorkersHere() throws Exception {
        exchange = ExchangeSetting.direct(1 << 20);
        Future<TrainingResult> coordinator = train(TWO_WORKERS, "a", "b");
        join("127.0.0.1", "a");
        join("127.0.0.2", "b");
        coordinator.get();
        for (Process process : processes) {
            assertTrue(process.waitFor(60, TimeUnit.SECONDS));
            assertEquals(0, process.exitValue());
        }
        TestRuns.train(TestRuns.run(folder, TWO_WORKERS, "here", false));
        assertEquals(TestRuns.digests(folder.resolve("here")), TestRuns.digests(folder.resolve("run")));
        assertEquals(2, joined.size(), joined.toString());
    }

    @Test
    void aKilledWorkerIsNamedWithItsHostAndWhatWasCommittedStays() throws Exception {
        TrainingListener killer = new TrainingListener() {
            @Override
            public void step(StepIndex done, float loss, long tokens, boolean again) {
                if (done.value() == 4) {
                    processes.get(1).destroyForcibly().onExit().join();
                }
            }
        };
        Future<TrainingResult> coordinator = train(TWO_WORKERS, killer, Duration.ofMinutes(5), "a", "b");
        join("127.0.0.1", "a");
        join("127.0.0.2", "b");
        String message = failure(coordinator);
        assertTrue(
                message.startsWith("worker 1 on host b (127.0.0.")
                        && message.contains(", process %d) is lost"
                                .formatted(processes.get(1).pid())),
                message);
        RecordingReader reader = RecordingReader.open(folder.resolve("run"));
        reader.checkSteps();
        assertFalse(reader.last().isFinal());
        TestRuns.train(TestRuns.run(folder, TWO_WORKERS, "run", true));
        TestRuns.train(TestRuns.run(folder, TWO_WORKERS, "here", false));
        assertEquals(TestRuns.digests(folder.resolve("here")), TestRuns.digests(folder.resolve("run")));
    }

    /** A process that is there and says nothing more. */
    @Test
    void aHostThatHangsIsNamedOnceTheLimitIsOver() throws Exception {
        Future<TrainingResult> coordinator =
                train(ONE_WORKER, TrainingListener.NONE, Duration.ofMillis(500), "far-away");
        try (Connection silent = connect()) {
            silent.send(MessageType.JOIN, message(token, "far-away", VERSION).toBytes());
            silent.trust();
            String message = failure(coordinator);
            assertTrue(message.startsWith("worker 0 on host far-away (127.0.0."), message);
            assertTrue(message.contains("has not answered for"), message);
        }
    }

    @Test
    void strangersOldTokensOtherVersionsAndTooManyWorkersAreRefusedAndTheRunStillBegins() throws Exception {
        Future<TrainingResult> coordinator = train(ONE_WORKER, "a");
        List<Socket> silent = new ArrayList<>();
        for (int i = 0; i < 70; i++) {
            silent.add(
                    new Socket(InetAddress.ofLiteral("127.0.0.1"), port.get(), InetAddress.ofLiteral("127.0.0.3"), 0));
        }
        assertEquals(-1, silent.getLast().getInputStream().read(), "a crowd from one address is hung up on at once");
        JoinToken old = new JoinToken(Hashing.sha256("old"), identity.fingerprint());
        try (Connection stranger = connect()) {
            stranger.send(MessageType.JOIN, message(old, "a", VERSION).toBytes());
            assertThrows(IOException.class, () -> stranger.receive(MessageType.JOB));
        }
        assertRefused("install the same on both", "a", "9.9");
        assertRefused("no place is free on host c", "c", VERSION);
        join("127.0.0.1", "a");
        coordinator.get();
        for (Socket socket : silent) {
            socket.close();
        }
    }

    @Test
    void aWorkerShowsItsSecretToTheCoordinatorOnly() throws Exception {
        Future<TrainingResult> coordinator = train(ONE_WORKER, "a");
        JoinToken other = new JoinToken(token.secret(), TlsIdentity.create().fingerprint());
        RecorderException refused = assertThrows(
                RecorderException.class,
                () -> JoinedWorker.run(joining("127.0.0.1", other, "a", folder.resolve("data"))));
        assertTrue(String.valueOf(refused.getMessage()).contains("not the one whose fingerprint"), refused::toString);
        assertEquals(List.of(), joined);
        join("127.0.0.1", "a");
        coordinator.get();
    }

    @Test
    void aWorkerWithAnotherDatasetStopsTheRunBeforeItsFirstStepAndIsNamed() throws Exception {
        TestRuns.dataset(folder.resolve("elsewhere"), 11);
        Future<TrainingResult> coordinator = train(ONE_WORKER, "a");
        assertThrows(
                RecorderException.class,
                () -> JoinedWorker.run(joining("127.0.0.1", token, "a", folder.resolve("elsewhere"))));
        String message = failure(coordinator);
        assertTrue(message.startsWith("worker 0 on host a (127.0.0.1"), message);
        assertTrue(message.contains("copy the run's dataset here"), message);
    }

    @Test
    void tokenFilesAreTheirOwnersOnlyAndEverythingElseIsNoTokenFile() throws Exception {
        Path file = folder.resolve("run.token");
        token.write(file);
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        assertEquals(token.secret(), JoinToken.read(file).secret());
        assertEquals(token.fingerprint(), JoinToken.read(file).fingerprint());
        assertFalse(token.toString().contains(token.secret().hex()));
        assertFalse(
                message(token, "a", VERSION).toString().contains(token.secret().hex()));
        assertThrows(IOException.class, () -> token.write(file), "a file that is there is not replaced");
        for (String wrong : List.of("", "x", Files.readString(file).replace("v1", "v2"), "y".repeat(10_000))) {
            Path other = Files.writeString(folder.resolve("other"), wrong);
            assertThrows(IOException.class, () -> JoinToken.read(other));
        }
    }

    private Future<TrainingResult> train(String config, String... hosts) throws Exception {
        return train(config, TrainingListener.NONE, Duration.ofMinutes(5), hosts);
    }

    private Future<TrainingResult> train(String config, TrainingListener listener, Duration limit, String... hosts)
            throws Exception {
        token.write(folder.resolve("token"));
        HostWorkers workers = new HostWorkers(
                new InetSocketAddress(InetAddress.ofLiteral("0.0.0.0"), 0),
                identity,
                token,
                List.of(hosts),
                new HostWorkers.Setting(VERSION, Duration.ofMinutes(2), port::complete, joined::add));
        TrainingRun run = TestRuns.run(folder, config, "run", false);
        TrainingMeans means = new TrainingMeans(
                BackendId.REFERENCE, 1, workers, TestRuns.UNSIGNED, TestRuns.IDENTITY, limit, exchange);
        return threads.submit(() -> new Trainer(run, means, listener).train());
    }

    private static String failure(Future<TrainingResult> coordinator) {
        ExecutionException e = assertThrows(ExecutionException.class, coordinator::get);
        return String.valueOf(Optional.ofNullable(e.getCause()).orElseThrow().getMessage());
    }

    private void assertRefused(String part, String host, String version) throws Exception {
        try (Connection connection = connect()) {
            connection.send(MessageType.JOIN, message(token, host, version).toBytes());
            IOException refused = assertThrows(IOException.class, () -> connection.receive(MessageType.JOB));
            assertTrue(String.valueOf(refused.getMessage()).contains(part), refused::toString);
        }
    }

    private Connection connect() throws Exception {
        return TlsIdentity.connect(
                new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port.get()),
                identity.fingerprint(),
                Duration.ofSeconds(60));
    }

    private static JoinMessage message(JoinToken token, String host, String version) {
        return new JoinMessage(token.secret(), host, 77, version);
    }

    private JoinedWorker.Joining joining(String address, JoinToken shown, String host, Path dataset) throws Exception {
        return new JoinedWorker.Joining(
                new InetSocketAddress(InetAddress.ofLiteral(address), port.get()),
                shown,
                host,
                dataset,
                1,
                VERSION,
                Duration.ofSeconds(30));
    }

    /** A process of its own, with a copy of the dataset, as on another host. */
    private void join(String address, String host) throws Exception {
        Path data = folder.resolve("on-" + processes.size());
        TestRuns.dataset(data);
        processes.add(new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx128m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        JoinMain.class.getName(),
                        address,
                        port.get().toString(),
                        folder.resolve("token").toString(),
                        host,
                        data.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start());
    }
}
