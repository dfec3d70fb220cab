package org.bitwitness.cli.support;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.http.ReadyFile;
import picocli.CommandLine.Option;

/** Options of commands that listen: where, and how they say that they do. */
public final class Listening {
    private static final int LAST_PORT = 65_535;

    @Option(
            names = "--host",
            paramLabel = "HOST",
            defaultValue = "127.0.0.1",
            description = "Address to listen on (default: ${DEFAULT-VALUE}, this machine only).")
    private String host = "127.0.0.1";

    @Option(
            names = "--port",
            paramLabel = "PORT",
            description = "Port to listen on; 0 picks a free one (default: ${DEFAULT-VALUE}).")
    private int port;

    @Option(
            names = "--ready-file",
            paramLabel = "FILE",
            description = "Written whole when the server listens: {\"url\": …, \"pid\": …}.")
    private Optional<Path> readyFile = Optional.empty();

    /** On any free port unless a person names one. */
    public Listening() {
        this(0);
    }

    /** @param usualPort taken unless a person names one */
    public Listening(int usualPort) {
        this.port = usualPort;
    }

    /** Where to listen; its host string is as it was typed. */
    public InetSocketAddress address() throws CommandFailure {
        if (port < 0 || port > LAST_PORT) {
            throw CommandFailure.usage("--port is 0 to " + LAST_PORT + ", got " + port);
        }
        try {
            return new InetSocketAddress(InetAddress.getByName(host), port);
        } catch (UnknownHostException e) {
            throw new CommandFailure(ExitCode.USAGE, "--host " + host + " is no address of this machine", e);
        }
    }

    /**
     * Says that the server listens and waits until this process is told to end (SIGTERM, Control-C); then closes the
     * server, so that what it took is finished.
     */
    public void untilStopped(URI url, AutoCloseable server) throws AttestationException, InterruptedException {
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(() -> close(server)));
        if (readyFile.isPresent()) {
            ReadyFile.write(readyFile.get(), url);
        }
        new CountDownLatch(1).await();
    }

    private static void close(AutoCloseable server) {
        try {
            server.close();
        } catch (Exception e) {
            System.err.println("while stopping: " + e.getMessage());
        }
    }
}
