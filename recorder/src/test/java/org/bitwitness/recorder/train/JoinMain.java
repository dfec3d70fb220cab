package org.bitwitness.recorder.train;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import org.bitwitness.recorder.RecorderException;
import org.bitwitness.recorder.wire.JoinToken;

/** A worker process of the tests that joins as one of another host: address, port, token file, host, dataset. */
final class JoinMain {
    private JoinMain() {}

    public static void main(String[] args) throws Exception {
        try {
            JoinedWorker.run(new JoinedWorker.Joining(
                    new InetSocketAddress(InetAddress.ofLiteral(args[0]), Integer.parseInt(args[1])),
                    JoinToken.read(Path.of(args[2])),
                    args[3],
                    Path.of(args[4]),
                    1,
                    HostWorkersTest.VERSION,
                    Duration.ofSeconds(30)));
        } catch (RecorderException e) {
            System.exit(1);
        }
    }
}
