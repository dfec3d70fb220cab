package org.bitwitness.recorder.wire;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketOption;
import java.util.Map;
import jdk.net.ExtendedSocketOptions;

/**
 * Finds out that the other host is gone, without a word of it: after half a minute of silence the system asks every ten seconds,
 * and reads fail when three questions stay without answer. A process that merely computes answers by its system.
 */
final class KeepAlive {
    private static final Map<SocketOption<Integer>, Integer> SECONDS = Map.of(
            ExtendedSocketOptions.TCP_KEEPIDLE, 30,
            ExtendedSocketOptions.TCP_KEEPINTERVAL, 10,
            ExtendedSocketOptions.TCP_KEEPCOUNT, 3);

    private KeepAlive() {}

    static void on(Socket socket) throws IOException {
        socket.setKeepAlive(true);
        for (Map.Entry<SocketOption<Integer>, Integer> option : SECONDS.entrySet()) {
            if (socket.supportedOptions().contains(option.getKey())) {
                socket.setOption(option.getKey(), option.getValue());
            }
        }
    }
}
