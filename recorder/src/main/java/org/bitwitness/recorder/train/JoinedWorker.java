package org.bitwitness.recorder.train;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.time.Duration;
import org.bitwitness.recorder.RecorderException;
import org.bitwitness.recorder.wire.Connection;
import org.bitwitness.recorder.wire.JoinMessage;
import org.bitwitness.recorder.wire.JoinToken;
import org.bitwitness.recorder.wire.MessageType;
import org.bitwitness.recorder.wire.TlsIdentity;

/** A worker that a person started on some host. */
public final class JoinedWorker {
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(10);
    private static final long PAUSE_MILLIS = 500;

    private JoinedWorker() {}

    /**
     * How to join.
     *
     * @param host name under which the coordinator expects this worker
     * @param dataset folder on this host
     * @param threads to compute with
     * @param version of Bitwitness
     * @param patience how long to try while nobody listens there yet
     */
    public record Joining(
            InetSocketAddress coordinator,
            JoinToken token,
            String host,
            Path dataset,
            int threads,
            String version,
            Duration patience) {
        public Joining {
            if (!JoinMessage.isHost(host) || threads < 1 || patience.isNegative()) {
                throw new IllegalArgumentException(
                        "need the name of a host, a thread and no negative wait, got %s, %d, %s"
                                .formatted(host, threads, patience));
            }
        }
    }

    /**
     * Joins and works until the run is over.
     *
     * @throws RecorderException if it cannot join, or the coordinator goes away before the end
     */
    public static void run(Joining joining) throws RecorderException {
        try (Connection connection = connect(joining)) {
            long pid = ProcessHandle.current().pid();
            connection.send(
                    MessageType.JOIN,
                    new JoinMessage(joining.token().secret(), joining.host(), pid, joining.version()).toBytes());
            connection.trust();
            connection.setTimeout(Worker.WAIT_FOR_COORDINATOR);
            Worker.serve(connection, new Worker.Home(joining.dataset(), joining.threads()));
        } catch (IOException e) {
            throw new RecorderException(
                    "no longer in touch with the coordinator at %s: %s".formatted(joining.coordinator(), words(e)), e);
        }
    }

    private static String words(IOException e) {
        String message = e.getMessage();
        return message == null
                ? "it hung up. Before the run begins that means that the token file is not of this run"
                : message;
    }

    private static Connection connect(Joining joining) throws IOException, RecorderException {
        long start = System.nanoTime();
        while (true) {
            try {
                return TlsIdentity.connect(
                        joining.coordinator(), joining.token().fingerprint(), CONNECT_LIMIT);
            } catch (IOException e) {
                if (e.getCause() instanceof CertificateException) {
                    throw e;
                }
                // Nobody there yet, or too many of us at the same moment.
                if (System.nanoTime() - start > joining.patience().toNanos()) {
                    throw new RecorderException(
                            "no coordinator at %s (%s): start `bitwitness train --hosts` there, or wait longer with --wait"
                                    .formatted(joining.coordinator(), e.getMessage()),
                            e);
                }
                pause();
            }
        }
    }

    private static void pause() throws RecorderException {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RecorderException("interrupted while connecting", e);
        }
    }
}
