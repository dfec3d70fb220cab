package org.bitwitness.recorder.wire;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Ends a write when the other side takes nothing for a while: a socket has no limit of its own for that, and a stopped process
 * keeps its connection. Large writes are cut, so that the limit is for a piece and not for the whole.
 */
final class WriteLimit extends FilterOutputStream {
    private static final int PIECE_BYTES = 1 << 18;
    private static final ScheduledThreadPoolExecutor CLOCK = clock();

    private final Socket raw;
    private volatile Duration limit = Duration.ZERO;
    private volatile boolean over;

    /** @param raw closed when the limit is over: that ends the write */
    WriteLimit(Socket raw, OutputStream out) {
        super(out);
        this.raw = raw;
    }

    /** From the next piece on; zero for none. */
    void limit(Duration wanted) {
        limit = wanted;
    }

    private static ScheduledThreadPoolExecutor clock() {
        ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name("write-limit").factory());
        clock.setRemoveOnCancelPolicy(true);
        return clock;
    }

    @Override
    public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
    }

    /** @throws SocketTimeoutException when a piece is not taken in time; the connection is closed then */
    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
        for (int done = 0; done < length; done += PIECE_BYTES) {
            piece(from, offset + done, Math.min(PIECE_BYTES, length - done));
        }
    }

    private void piece(byte[] from, int offset, int length) throws IOException {
        long millis = limit.toMillis();
        if (millis == 0) {
            out.write(from, offset, length);
            return;
        }
        ScheduledFuture<?> end = CLOCK.schedule(this::end, millis, TimeUnit.MILLISECONDS);
        try {
            out.write(from, offset, length);
        } catch (IOException e) {
            if (over) {
                SocketTimeoutException late =
                        new SocketTimeoutException("it has taken nothing of what was sent for %d ms".formatted(millis));
                late.initCause(e);
                throw late;
            }
            throw e;
        } finally {
            end.cancel(false);
        }
    }

    private void end() {
        over = true;
        try {
            raw.close();
        } catch (IOException e) {
            // The write ends with an error of its own.
        }
    }
}
