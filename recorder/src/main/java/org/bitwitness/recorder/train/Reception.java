package org.bitwitness.recorder.train;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.recorder.RecorderException;
import org.bitwitness.recorder.wire.Connection;

/**
 * Lets workers in until none is missing. Everybody may knock: whoever has not shown the secret within a few seconds is hung
 * up on, so many may be in that state at once and no more, and none of them keeps a worker waiting.
 */
final class Reception implements AutoCloseable {
    private static final Duration HELLO_LIMIT = Duration.ofSeconds(10);
    private static final Duration POLL = Duration.ofMillis(200);
    private static final int MAX_UNKNOWN = 256;
    private static final int MAX_UNKNOWN_OF_ONE = 64;

    private final WorkerLauncher launcher;
    private final Sha256 token;
    private final Map<WorkerId, WorkerProcess> processes;
    private final Map<WorkerId, Connection> connections = new TreeMap<>();
    private final Set<WorkerId> taken = new HashSet<>();
    private final Set<Socket> unknown = ConcurrentHashMap.newKeySet();

    /** @param processes of all workers that are to come */
    Reception(WorkerLauncher launcher, Sha256 token, Map<WorkerId, WorkerProcess> processes) {
        this.launcher = launcher;
        this.token = token;
        this.processes = new TreeMap<>(processes);
    }

    /** @throws RecorderException if one ends before it has connected, or the wait is over */
    Map<WorkerId, Connection> await(ServerSocket server) throws IOException, RecorderException {
        long start = System.nanoTime();
        Duration limit = launcher.startLimit();
        server.setSoTimeout((int) POLL.toMillis());
        List<WorkerId> missing = missing();
        while (!missing.isEmpty()) {
            if (System.nanoTime() - start > limit.toNanos()) {
                throw new RecorderException("%d of %d workers have not connected within %d s: %s"
                        .formatted(missing.size(), processes.size(), limit.toSeconds(), named(missing)));
            }
            try {
                knock(server.accept());
            } catch (SocketTimeoutException e) {
                requireAlive(missing);
            }
            missing = missing();
        }
        return connections();
    }

    /** Hangs up on everybody who has not shown the secret. */
    @Override
    public void close() {
        unknown.forEach(Reception::hangUp);
    }

    private void knock(Socket socket) {
        long same = unknown.stream()
                .filter(other -> socket.getInetAddress().equals(other.getInetAddress()))
                .count();
        if (unknown.size() >= MAX_UNKNOWN || same >= MAX_UNKNOWN_OF_ONE) {
            hangUp(socket);
            return;
        }
        unknown.add(socket);
        Thread.ofVirtual().name("knock").start(() -> admit(socket));
        // A time limit on reads alone would let somebody send a byte now and then for ever.
        Thread.ofVirtual().name("knock-limit").start(() -> hangUpAfterLimit(socket));
    }

    private void admit(Socket socket) {
        boolean admitted = false;
        try {
            Connection connection = launcher.connection(socket, HELLO_LIMIT);
            Optional<WorkerId> worker = launcher.admit(connection, token, this::take);
            if (worker.isPresent()) {
                // From here on the time limit does not find it any more.
                admitted = unknown.remove(socket);
                connection.trust();
                enter(worker.get(), connection);
            }
        } catch (IOException | ProtocolException e) {
            // A stranger; our own workers are still on their way.
        } finally {
            unknown.remove(socket);
            if (!admitted) {
                hangUp(socket);
            }
        }
    }

    private void hangUpAfterLimit(Socket socket) {
        try {
            Thread.sleep(HELLO_LIMIT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (unknown.remove(socket)) {
            hangUp(socket);
        }
    }

    private synchronized Optional<WorkerId> take(BiPredicate<WorkerId, WorkerProcess> fits) {
        Optional<WorkerId> place = processes.entrySet().stream()
                .filter(entry -> !taken.contains(entry.getKey()))
                .filter(entry -> fits.test(entry.getKey(), entry.getValue()))
                .map(Map.Entry::getKey)
                .findFirst();
        place.ifPresent(taken::add);
        return place;
    }

    private synchronized void enter(WorkerId worker, Connection connection) {
        connections.put(worker, connection);
    }

    private synchronized Map<WorkerId, Connection> connections() {
        return new TreeMap<>(connections);
    }

    private synchronized List<WorkerId> missing() {
        return processes.keySet().stream()
                .filter(worker -> !connections.containsKey(worker))
                .toList();
    }

    private void requireAlive(List<WorkerId> missing) throws RecorderException {
        for (WorkerId worker : missing) {
            WorkerProcess process = process(worker);
            Optional<String> ending = process.ending(Duration.ZERO);
            if (ending.isPresent() && missing().contains(worker)) {
                throw new RecorderException("worker %s%s is lost: it %s before it connected"
                        .formatted(worker, process.where(), ending.get()));
            }
        }
    }

    private String named(List<WorkerId> missing) {
        return missing.stream()
                .map(worker -> "worker " + worker + process(worker).where())
                .collect(Collectors.joining(", "));
    }

    private WorkerProcess process(WorkerId worker) {
        return Optional.ofNullable(processes.get(worker)).orElseThrow();
    }

    private static void hangUp(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // Whoever it was is gone.
        }
    }
}
