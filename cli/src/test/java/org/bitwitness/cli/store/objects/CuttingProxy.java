package org.bitwitness.cli.store.objects;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;

/** Passes connections on, and cuts so many of them when they have brought so many bytes. */
final class CuttingProxy implements AutoCloseable {
    private final ServerSocket server;
    private final int target;
    private final long cutAfterBytes;
    private final AtomicInteger cutsLeft;
    private final AtomicInteger cuts = new AtomicInteger();

    CuttingProxy(int target, int mostCuts, long cutAfterBytes) throws IOException {
        this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        this.target = target;
        this.cutsLeft = new AtomicInteger(mostCuts);
        this.cutAfterBytes = cutAfterBytes;
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    int cuts() {
        return cuts.get();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket near = server.accept();
                Socket far = new Socket(InetAddress.getLoopbackAddress(), target);
                Thread.ofVirtual().start(() -> pump(near, far, Long.MAX_VALUE));
                Thread.ofVirtual().start(() -> pump(far, near, cutAfterBytes));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void pump(Socket from, Socket to, long limit) {
        byte[] buffer = new byte[1 << 12];
        long done = 0;
        try (from;
                to;
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream()) {
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                done += n;
                if (done > limit && cutsLeft.getAndDecrement() > 0) {
                    cuts.incrementAndGet();
                    return;
                }
                out.write(buffer, 0, n);
                out.flush();
            }
        } catch (IOException closed) {
            return;
        }
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
