package org.bitwitness.recorder.exchange;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.recorder.wire.Connection;
import org.bitwitness.recorder.wire.MeshMessages;
import org.bitwitness.recorder.wire.MessageType;
import org.bitwitness.recorder.wire.PeerLostException;
import org.bitwitness.recorder.wire.TlsIdentity;

/**
 * Connects a worker with every other one: it calls those before it in the layout and is called by those after it. The coordinator
 * tells where they are and the secret that they show each other.
 */
public final class Mesh {
    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final Duration HELLO_LIMIT = Duration.ofSeconds(10);
    private static final Duration POLL = Duration.ofMillis(200);

    /** Between steps nobody sends anything; whoever is waited for has a limit of its own. */
    private static final Duration NO_LIMIT = Duration.ofHours(24);

    private static final int MAX_UNKNOWN = 256;

    private final MeshMessages.Open open;
    private final Optional<TlsIdentity> identity;
    private final Map<Integer, Connection> connections = new TreeMap<>();
    private final Semaphore unknown = new Semaphore(MAX_UNKNOWN);

    private Mesh(MeshMessages.Open open) {
        this.open = open;
        this.identity = open.secure() ? Optional.of(TlsIdentity.create()) : Optional.empty();
    }

    /**
     * Follows the coordinator until all workers are connected.
     *
     * @return connections in layout order, none at the own place
     * @throws PeerLostException naming a worker that cannot be reached
     */
    public static List<Optional<Connection>> join(MeshMessages.Open open, Connection coordinator)
            throws IOException, ProtocolException {
        Mesh mesh = new Mesh(open);
        boolean whole = false;
        try (ServerSocket server = new ServerSocket(0, open.workers() + 8, coordinator.local())) {
            coordinator.send(
                    MessageType.MESH_AT,
                    new MeshMessages.At(server.getLocalPort(), mesh.identity.map(TlsIdentity::fingerprint)).toBytes());
            List<MeshMessages.Peer> peers = MeshMessages.readPeers(coordinator.receive(MessageType.MESH_PEERS));
            if (peers.size() != open.workers()) {
                throw new IOException(
                        "there should be %d workers, the coordinator names %d".formatted(open.workers(), peers.size()));
            }
            for (int peer = 0; peer < open.position(); peer++) {
                mesh.enter(peer, mesh.call(peer, peers.get(peer)));
            }
            mesh.awaitCalls(server);
            coordinator.send(MessageType.MESH_READY, new byte[0]);
            whole = true;
            return mesh.inOrder();
        } finally {
            if (!whole) {
                mesh.closeAll();
            }
        }
    }

    private Connection call(int peer, MeshMessages.Peer at) throws PeerLostException {
        InetSocketAddress address = new InetSocketAddress(at.address(), at.at().port());
        try {
            Connection connection = at.at().fingerprint().isPresent()
                    ? TlsIdentity.connect(address, at.at().fingerprint().get(), LIMIT)
                    : plain(address);
            connection.send(MessageType.MESH_HELLO, new MeshMessages.Hello(open.secret(), open.position()).toBytes());
            connection.trust();
            connection.setTimeout(NO_LIMIT);
            return connection;
        } catch (IOException e) {
            throw new PeerLostException(peer, "cannot be reached at %s: %s".formatted(address, e.getMessage()));
        }
    }

    private static Connection plain(InetSocketAddress address) throws IOException {
        Socket socket = new Socket();
        socket.connect(address, (int) LIMIT.toMillis());
        return new Connection(socket, LIMIT);
    }

    private void awaitCalls(ServerSocket server) throws IOException {
        long start = System.nanoTime();
        server.setSoTimeout((int) POLL.toMillis());
        Optional<Integer> missing = missing();
        while (missing.isPresent()) {
            if (System.nanoTime() - start > LIMIT.toNanos()) {
                throw new PeerLostException(missing.get(), "has not called within %d s".formatted(LIMIT.toSeconds()));
            }
            try {
                answer(server.accept());
            } catch (SocketTimeoutException e) {
                // Somebody is still on the way, or is being listened to.
            }
            missing = missing();
        }
    }

    private void answer(Socket socket) throws IOException {
        if (!unknown.tryAcquire()) {
            socket.close();
            return;
        }
        Thread.ofVirtual().name("mesh-call").start(() -> admit(socket));
    }

    /** Whoever shows the secret and has a place after ours that nobody has taken; anybody else is hung up on. */
    private void admit(Socket socket) {
        boolean admitted = false;
        try {
            Connection connection = identity.isPresent()
                    ? identity.get().accept(socket, HELLO_LIMIT)
                    : new Connection(socket, HELLO_LIMIT);
            MeshMessages.Hello hello = MeshMessages.Hello.read(connection.receive(MessageType.MESH_HELLO));
            if (MessageDigest.isEqual(hello.secret().bytes(), open.secret().bytes())
                    && hello.position() > open.position()
                    && hello.position() < open.workers()) {
                connection.trust();
                connection.setTimeout(NO_LIMIT);
                admitted = enter(hello.position(), connection);
            }
        } catch (IOException | ProtocolException e) {
            // A stranger.
        } finally {
            unknown.release();
            if (!admitted) {
                hangUp(socket);
            }
        }
    }

    private synchronized boolean enter(int position, Connection connection) {
        return connections.putIfAbsent(position, connection) == null;
    }

    private synchronized Optional<Integer> missing() {
        for (int i = 0; i < open.workers(); i++) {
            if (i != open.position() && !connections.containsKey(i)) {
                return Optional.of(i);
            }
        }
        return Optional.empty();
    }

    private synchronized List<Optional<Connection>> inOrder() {
        List<Optional<Connection>> out = new ArrayList<>();
        for (int i = 0; i < open.workers(); i++) {
            out.add(Optional.ofNullable(connections.get(i)));
        }
        return out;
    }

    private synchronized void closeAll() {
        for (Connection connection : connections.values()) {
            try {
                connection.close();
            } catch (IOException e) {
                // The worker ends; there is nothing left to lose.
            }
        }
    }

    private static void hangUp(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // Whoever it was is gone.
        }
    }
}
