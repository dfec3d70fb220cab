package org.bitwitness.recorder.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.recorder.RecorderException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Faults between coordinator and workers; each has to be seen, and the untouched twin has to pass. */
class PlantedFaultTest {
    private static final int TENSOR_BYTES = 4 * 32 * 257;

    @TempDir
    Path folder;

    @BeforeEach
    void makeDataset() throws Exception {
        TestRuns.dataset(folder.resolve("data"));
    }

    @Test
    void aRelayThatChangesNothingChangesNothing() throws Exception {
        TrainingResult direct = TestRuns.train(run("direct"));
        TrainingResult relayed = train("relayed", new Relay(Long.MAX_VALUE, Long.MAX_VALUE));
        assertEquals(direct.finalStateRoot(), relayed.finalStateRoot());
        Map<String, Sha256> files = TestRuns.digests(folder.resolve("direct"));
        assertEquals(files, TestRuns.digests(folder.resolve("relayed")));
    }

    @Test
    void aBitFlippedInAGradientOnItsWayIsSeen() {
        RecorderException e =
                assertThrows(RecorderException.class, () -> train("run", new Relay(TENSOR_BYTES, Long.MAX_VALUE)));
        assertTrue(e.getMessage().startsWith("worker 1 is lost"), e.getMessage());
        assertTrue(e.getMessage().contains("its gradient of step 0 should have root"), e.getMessage());
    }

    /** The state that the worker gets differs in one bit, so its state root does. */
    @Test
    void aBitFlippedInTheStateOnItsWayIsSeen() {
        RecorderException e =
                assertThrows(RecorderException.class, () -> train("run", new Relay(Long.MAX_VALUE, TENSOR_BYTES)));
        assertTrue(e.getMessage().startsWith("state 0, worker 1 has state root"), e.getMessage());
    }

    @Test
    void aStrangerWithoutTheTokenIsNotLetIn() throws Exception {
        WorkerLauncher withStrangers = (worker, port, token) -> {
            Thread.ofPlatform()
                    .daemon()
                    .start(() -> Worker.run(
                            () -> new Socket(InetAddress.getLoopbackAddress(), port), worker, Hashing.sha256("guess")));
            try (Socket noise = new Socket(InetAddress.getLoopbackAddress(), port)) {
                noise.getOutputStream().write(new byte[] {0x7F, 1, 2, 3, 4, 5, 6, 7, 8});
            }
            return new InProcessWorkers().launch(worker, port, token);
        };
        TrainingResult result = train("run", withStrangers);
        assertEquals(TestRuns.train(run("twin")).finalStateRoot(), result.finalStateRoot());
    }

    @Test
    void aWorkerThatEndsBeforeItConnectsIsNamed() {
        WorkerLauncher dead = (worker, port, token) -> worker.value() == 1
                ? new WorkerProcess() {
                    @Override
                    public OptionalLong pid() {
                        return OptionalLong.of(77);
                    }

                    @Override
                    public Optional<String> ending(Duration wait) {
                        return Optional.of("ended with exit code 3");
                    }

                    @Override
                    public void kill() {}
                }
                : new InProcessWorkers().launch(worker, port, token);
        RecorderException e = assertThrows(RecorderException.class, () -> train("run", dead));
        assertEquals("worker 1 (process 77) is lost: it ended with exit code 3 before it connected", e.getMessage());
    }

    @Test
    void aWorkerThatDoesNotAnswerIsNamed() {
        Relay silent = new Relay(Long.MAX_VALUE, Long.MAX_VALUE);
        silent.silentAfterBytes = 400;
        RecorderException e = assertThrows(
                RecorderException.class,
                () -> new Trainer(
                                run("run"),
                                new TrainingMeans(
                                        BackendId.REFERENCE,
                                        1,
                                        silent,
                                        TestRuns.UNSIGNED,
                                        TestRuns.IDENTITY,
                                        Duration.ofSeconds(3)),
                                TrainingListener.NONE)
                        .train());
        assertTrue(e.getMessage().startsWith("worker 1 has not answered for 3 s"), e.getMessage());
    }

    private TrainingRun run(String out) throws Exception {
        return TestRuns.run(folder, TestRuns.CONFIG, out, false);
    }

    private TrainingResult train(String out, WorkerLauncher launcher) throws Exception {
        return new Trainer(run(out), TestRuns.means(1, launcher, TestRuns.UNSIGNED), TrainingListener.NONE).train();
    }

    /** Starts workers in this process; worker 1 talks through a relay that flips one bit in one direction. */
    private static final class Relay implements WorkerLauncher {
        private final long flipToCoordinator;
        private final long flipToWorker;
        private long silentAfterBytes = Long.MAX_VALUE;

        Relay(long flipToCoordinator, long flipToWorker) {
            this.flipToCoordinator = flipToCoordinator;
            this.flipToWorker = flipToWorker;
        }

        @Override
        public WorkerProcess launch(WorkerId worker, int port, Sha256 token) throws IOException {
            if (worker.value() != 1) {
                return new InProcessWorkers().launch(worker, port, token);
            }
            ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            Thread.ofPlatform().daemon().start(() -> relay(server, port));
            return new InProcessWorkers().launch(worker, server.getLocalPort(), token);
        }

        private void relay(ServerSocket server, int port) {
            try (server;
                    Socket fromWorker = server.accept();
                    Socket toCoordinator = new Socket(InetAddress.getLoopbackAddress(), port)) {
                Thread back = Thread.ofPlatform()
                        .daemon()
                        .start(() -> copy(toCoordinator, fromWorker, flipToWorker, Long.MAX_VALUE));
                copy(fromWorker, toCoordinator, flipToCoordinator, silentAfterBytes);
                back.join();
            } catch (IOException | InterruptedException e) {
                // One of the two sides has hung up, which ends the relay.
            }
        }

        private static void copy(Socket from, Socket to, long flipAt, long silentAfter) {
            try {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                byte[] buffer = new byte[4096];
                long at = 0;
                for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                    if (flipAt >= at && flipAt < at + n) {
                        buffer[(int) (flipAt - at)] ^= 1;
                    }
                    at += n;
                    if (at <= silentAfter) {
                        out.write(buffer, 0, n);
                    }
                }
                to.shutdownOutput();
            } catch (IOException e) {
                // As above.
            }
        }
    }
}
