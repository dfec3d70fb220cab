package org.bitwitness.recorder.train;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.recorder.wire.Connection;
import org.bitwitness.recorder.wire.JoinMessage;
import org.bitwitness.recorder.wire.JoinToken;
import org.bitwitness.recorder.wire.MessageType;
import org.bitwitness.recorder.wire.Messages;
import org.bitwitness.recorder.wire.TlsIdentity;

/**
 * Workers that a person, or a tool for starting processes on many machines, starts on hosts of their own. Places are handed
 * out in layout order, host by host; which process gets which place of its host changes nothing.
 */
public final class HostWorkers implements WorkerLauncher {
    private final InetSocketAddress address;
    private final TlsIdentity identity;
    private final JoinToken token;
    private final Deque<String> places;
    private final Setting setting;

    /**
     * How workers join.
     *
     * @param version of Bitwitness, which has to be the workers' as well
     * @param limit longest wait until all have joined
     * @param listening told the port once it is open
     * @param joined told of every worker that has joined
     */
    public record Setting(String version, Duration limit, Consumer<Integer> listening, Consumer<String> joined) {}

    /**
     * Workers to wait for.
     *
     * @param address to listen on; port 0 for any free one
     * @param places the host of every worker, in layout order
     */
    public HostWorkers(
            InetSocketAddress address, TlsIdentity identity, JoinToken token, List<String> places, Setting setting) {
        this.address = address;
        this.identity = identity;
        this.token = token;
        this.places = new ArrayDeque<>(places);
        this.setting = setting;
    }

    @Override
    public ServerSocket listen(int backlog) throws IOException {
        ServerSocket server = new ServerSocket(address.getPort(), backlog, address.getAddress());
        setting.listening().accept(server.getLocalPort());
        return server;
    }

    @Override
    public boolean secure() {
        return true;
    }

    @Override
    public Duration startLimit() {
        return setting.limit();
    }

    @Override
    public WorkerProcess launch(WorkerId worker, int port, Sha256 unused) throws IOException {
        String host = Optional.ofNullable(places.poll())
                .orElseThrow(() -> new IOException("no host was named for worker " + worker));
        return new Remote(host);
    }

    @Override
    public Connection connection(Socket accepted, Duration timeout) throws IOException {
        return identity.accept(accepted, timeout);
    }

    @Override
    public Optional<WorkerId> admit(Connection connection, Sha256 unused, Places free)
            throws IOException, ProtocolException {
        JoinMessage join = JoinMessage.read(connection.receive(MessageType.JOIN));
        if (!token.isSecret(join.secret())) {
            return Optional.empty();
        }
        if (!join.version().equals(setting.version())) {
            return refuse(
                    connection,
                    "the coordinator is Bitwitness %s, this host has %s: install the same on both"
                            .formatted(setting.version(), join.version()));
        }
        String from = connection.peer().getHostAddress();
        Optional<WorkerId> place = free.take((_, process) -> process instanceof Remote remote
                && remote.host().equals(join.host())
                && remote.enter("%s, process %d".formatted(from, join.pid())));
        if (place.isEmpty()) {
            return refuse(
                    connection,
                    "no place is free on host %s: --hosts of the coordinator says which hosts have how many"
                            .formatted(join.host()));
        }
        setting.joined().accept("worker %s joined from host %s (%s)".formatted(place.get(), join.host(), from));
        return place;
    }

    private static Optional<WorkerId> refuse(Connection connection, String reason) throws IOException {
        connection.send(MessageType.FAILED, Messages.writeFailed(reason));
        return Optional.empty();
    }

    private static final class Remote implements WorkerProcess {
        private final String host;
        private volatile String from = "";

        Remote(String host) {
            this.host = host;
        }

        String host() {
            return host;
        }

        /** Remembers where the worker joined from. */
        boolean enter(String address) {
            from = address;
            return true;
        }

        @Override
        public OptionalLong pid() {
            return OptionalLong.empty();
        }

        @Override
        public String where() {
            return " on host " + host + (from.isEmpty() ? "" : " (" + from + ")");
        }

        /** From here only its connection can be seen. */
        @Override
        public Optional<String> ending(Duration wait) {
            return Optional.empty();
        }

        @Override
        public void kill() {
            // It ends when its connection does.
        }
    }
}
