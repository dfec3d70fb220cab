package org.bitwitness.recorder.train;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.record.Layout;
import org.bitwitness.recorder.LostWorkerException;
import org.bitwitness.recorder.RecorderException;
import org.bitwitness.recorder.wire.Connection;
import org.bitwitness.recorder.wire.MessageType;
import org.bitwitness.recorder.wire.PeerFailedException;
import org.bitwitness.recorder.wire.PeerLostException;

/**
 * The coordinator's side of all workers of a run: starts them, lets in only those that show the token, talks to all of
 * them at once, and says which one is lost when one is. Closing ends every worker that is still there.
 */
final class WorkerGroup implements AutoCloseable {
    private static final Duration ENDING_WAIT = Duration.ofSeconds(5);

    private final Layout layout;
    private final Duration answerLimit;
    private final boolean secure;
    private final Map<WorkerId, WorkerProcess> processes = new TreeMap<>();
    private final Map<WorkerId, Connection> connections = new TreeMap<>();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private WorkerGroup(Layout layout, Duration answerLimit, boolean secure) {
        this.layout = layout;
        this.answerLimit = answerLimit;
        this.secure = secure;
    }

    /**
     * Starts a worker for every place of the layout and waits until all are connected.
     *
     * @param answerLimit longest wait for an answer of a worker
     */
    static WorkerGroup start(WorkerLauncher launcher, Layout layout, Duration answerLimit) throws RecorderException {
        WorkerGroup group = new WorkerGroup(layout, answerLimit, launcher.secure());
        byte[] secret = new byte[Sha256.BYTES];
        new SecureRandom().nextBytes(secret);
        Sha256 token = Sha256.of(secret);
        try (ServerSocket server = launcher.listen(layout.size() + 8)) {
            for (WorkerId worker : layout.workers()) {
                group.processes.put(worker, launcher.launch(worker, server.getLocalPort(), token));
            }
            try (Reception reception = new Reception(launcher, token, group.processes)) {
                group.connections.putAll(reception.await(server));
            }
            for (Connection connection : group.connections.values()) {
                connection.setTimeout(answerLimit);
            }
            return group;
        } catch (IOException e) {
            group.close();
            throw RecorderException.io("starting the workers", e);
        } catch (RecorderException | RuntimeException e) {
            group.close();
            throw e;
        }
    }

    /** Something done with one worker. */
    @FunctionalInterface
    interface Task<T> {
        T run(int position, Connection connection) throws IOException, ProtocolException;
    }

    /**
     * Does the same with every worker at once and waits for all.
     *
     * @return results in layout order
     * @throws RecorderException naming the first worker that failed; the others have been ended
     */
    <T> List<T> withEach(Task<T> task) throws RecorderException {
        record Done<T>(int position, T result) {}
        CompletionService<Done<T>> tasks = new ExecutorCompletionService<>(threads);
        List<WorkerId> workers = layout.workers();
        for (int position = 0; position < workers.size(); position++) {
            int at = position;
            tasks.submit(() -> new Done<>(at, attempt(workers.get(at), at, task)));
        }
        Map<Integer, T> results = new TreeMap<>();
        try {
            for (int i = 0; i < workers.size(); i++) {
                Done<T> done = tasks.take().get();
                results.put(done.position(), done.result());
            }
        } catch (ExecutionException e) {
            close();
            if (e.getCause() instanceof RecorderException lost) {
                throw lost;
            }
            throw new IllegalStateException("talking to a worker failed in a way of our own making", e.getCause());
        } catch (InterruptedException e) {
            close();
            Thread.currentThread().interrupt();
            throw new RecorderException("interrupted while waiting for the workers", e);
        }
        return List.copyOf(results.values());
    }

    /** Starts {@link #withEach} on a thread of its own; {@link #await} waits for it. */
    <T> Future<List<T>> withEachLater(Task<T> task) {
        return threads.submit(() -> withEach(task));
    }

    static <T> T await(Future<T> later) throws RecorderException {
        try {
            return later.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RecorderException lost) {
                throw lost;
            }
            throw new IllegalStateException("talking to the workers failed in a way of our own making", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RecorderException("interrupted while waiting for the workers", e);
        }
    }

    /** Whether what workers say to each other has to be kept from others on the way. */
    boolean secure() {
        return secure;
    }

    /** Process ids in layout order, where workers are processes. */
    List<OptionalLong> pids() {
        return layout.workers().stream().map(w -> process(w).pid()).toList();
    }

    /** Tells every worker that the run is over and waits for them to end. */
    void stop() throws RecorderException {
        withEach((_, connection) -> {
            connection.send(MessageType.STOP, new byte[0]);
            return true;
        });
        for (WorkerProcess process : processes.values()) {
            if (process.ending(ENDING_WAIT).isEmpty()) {
                process.kill();
            }
        }
    }

    @Override
    public void close() {
        processes.values().forEach(WorkerProcess::kill);
        for (Connection connection : connections.values()) {
            try {
                connection.close();
            } catch (IOException e) {
                // The worker is being ended anyway; there is nothing left to lose.
            }
        }
        threads.shutdownNow();
    }

    private <T> T attempt(WorkerId worker, int position, Task<T> task) throws RecorderException {
        try {
            return task.run(position, connection(worker));
        } catch (PeerFailedException e) {
            throw new RecorderException(name(worker) + " cannot go on: " + e.getMessage(), e);
        } catch (PeerLostException e) {
            throw lostByAnother(worker, e);
        } catch (SocketTimeoutException e) {
            throw new LostWorkerException(
                    worker, "%s has not answered for %d s".formatted(name(worker), answerLimit.toSeconds()), e);
        } catch (IOException e) {
            Optional<String> ending = process(worker).ending(ENDING_WAIT);
            throw new LostWorkerException(
                    worker,
                    name(worker) + " is lost: it " + ending.orElse("closed its connection (" + e.getMessage() + ")"),
                    e);
        } catch (ProtocolException e) {
            throw new RecorderException(name(worker) + " sent what is no message: " + e.getMessage(), e);
        }
    }

    /** Whoever waits for a dead or silent worker is the first to say so, and is not the trouble. */
    private RecorderException lostByAnother(WorkerId witness, PeerLostException e) {
        if (e.position() >= layout.size()) {
            return new RecorderException(name(witness) + " blames a worker that there is not", e);
        }
        WorkerId lost = layout.workers().get(e.position());
        String found = process(lost)
                .ending(ENDING_WAIT)
                .map(ending -> "it " + ending)
                .orElseGet(() -> "%s says that it %s".formatted(name(witness), e.getMessage()));
        return new LostWorkerException(lost, "%s is lost: %s".formatted(name(lost), found), e);
    }

    private String name(WorkerId worker) {
        return "worker " + worker + process(worker).where();
    }

    private WorkerProcess process(WorkerId worker) {
        return Optional.ofNullable(processes.get(worker)).orElseThrow();
    }

    private Connection connection(WorkerId worker) {
        return Optional.ofNullable(connections.get(worker)).orElseThrow();
    }
}
