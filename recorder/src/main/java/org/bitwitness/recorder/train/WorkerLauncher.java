package org.bitwitness.recorder.train;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiPredicate;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.recorder.wire.Connection;
import org.bitwitness.recorder.wire.MessageType;
import org.bitwitness.recorder.wire.Messages;

/** Starts workers, or waits for them. Each connects to the coordinator and shows a secret. */
@FunctionalInterface
public interface WorkerLauncher {
    /**
     * Starts one worker.
     *
     * @param port of the coordinator on the loopback interface
     * @param token the coordinator's secret; a process gets it through its standard input, never on its command line
     */
    WorkerProcess launch(WorkerId worker, int port, Sha256 token) throws IOException;

    /** Where workers connect to: a free port of the loopback interface. */
    default ServerSocket listen(int backlog) throws IOException {
        return new ServerSocket(0, backlog, InetAddress.getLoopbackAddress());
    }

    /** Whether what workers say has to be kept from others on the way. */
    default boolean secure() {
        return false;
    }

    /** Longest wait until all workers are there. */
    default Duration startLimit() {
        return Duration.ofMinutes(3);
    }

    /** A connection over what was accepted; nothing has been read yet. */
    default Connection connection(Socket accepted, Duration timeout) throws IOException {
        return new Connection(accepted, timeout);
    }

    /**
     * Who says hello: one of the workers that are still missing, who shows the secret; nobody else.
     *
     * @param places of workers that have not come yet
     */
    default Optional<WorkerId> admit(Connection connection, Sha256 token, Places places)
            throws IOException, ProtocolException {
        Messages.Hello hello = Messages.Hello.read(connection.receive(MessageType.HELLO));
        if (!MessageDigest.isEqual(hello.token().bytes(), token.bytes())) {
            return Optional.empty();
        }
        return places.take((worker, process) -> worker.equals(hello.worker())
                && (process.pid().isEmpty() || process.pid().equals(hello.pid())));
    }

    /** Places of workers that have not come yet. */
    @FunctionalInterface
    interface Places {
        /** Takes the first place that fits, if there is one; nobody else gets it then. */
        Optional<WorkerId> take(BiPredicate<WorkerId, WorkerProcess> fits);
    }
}
