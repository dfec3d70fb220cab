package org.bitwitness.cli.support;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * How far a task is, on standard error. On a terminal one line is redrawn; elsewhere a plain line is written now and
 * then, so that logs stay readable. Own code because the known libraries bring a terminal layer that prints warnings of
 * its own on current JDKs.
 */
public final class ProgressBar implements AutoCloseable {
    private static final int BAR_WIDTH = 24;
    private static final int LINE_WIDTH = 120;
    private static final Duration REDRAW = Duration.ofMillis(100);
    private static final Duration PLAIN_LINE = Duration.ofSeconds(10);

    private final PrintWriter err;
    private final boolean terminal;
    private final String task;
    private final LongSupplier nanos;
    private final long startedAtNanos;
    private long total;
    private long drawnAtNanos;
    private long done;
    private String note = "";
    private boolean tellsTimeLeft;
    private boolean closed;

    ProgressBar(PrintWriter err, boolean terminal, String task, long total, LongSupplier nanos) {
        this.err = err;
        this.terminal = terminal;
        this.task = task;
        this.total = total;
        this.nanos = nanos;
        this.startedAtNanos = nanos.getAsLong();
        this.drawnAtNanos = startedAtNanos;
    }

    static ProgressBar on(PrintWriter err, String task, long total) {
        return new ProgressBar(err, Terminals.standardError(), task, total, System::nanoTime);
    }

    /** Says that {@code done} of the total is done; cheap enough to call for every unit. */
    public synchronized void update(long nowDone, String nowNote) {
        done = nowDone;
        note = nowNote;
        long now = nanos.getAsLong();
        if (now - drawnAtNanos >= (terminal ? REDRAW : PLAIN_LINE).toNanos()) {
            drawnAtNanos = now;
            draw(now);
        }
    }

    /** The same, of a total of equal parts that is known only now: so the time left can be told. */
    public synchronized void update(long nowDone, long nowTotal, String nowNote) {
        total = nowTotal;
        tellsTimeLeft = true;
        update(nowDone, nowNote);
    }

    /** A line of its own, which stays. */
    public synchronized void say(String line) {
        err.println((terminal ? "\r\u001b[2K" : "") + line);
        err.flush();
    }

    public synchronized void update(long nowDone) {
        update(nowDone, note);
    }

    /** Takes the bar off the screen; the line with the result is the command's to print. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (terminal) {
            err.print("\r\u001b[2K");
            err.flush();
        }
    }

    private void draw(long now) {
        String line = line(Duration.ofNanos(now - startedAtNanos));
        if (terminal) {
            err.print("\r\u001b[2K" + line);
        } else {
            err.println(line);
        }
        err.flush();
    }

    private String line(Duration elapsed) {
        StringBuilder text = new StringBuilder(task);
        if (total > 0) {
            int filled = (int) Math.min(BAR_WIDTH, done * BAR_WIDTH / total);
            text.append(" [").append("#".repeat(filled)).append(".".repeat(BAR_WIDTH - filled));
            text.append("] ").append(done).append('/').append(total);
        } else {
            text.append(' ').append(done);
        }
        text.append(' ').append(elapsed.toSeconds()).append(" s");
        if (tellsTimeLeft && done > 0 && done < total) {
            // As fast as so far.
            double left = elapsed.toMillis() / 1000.0 * (total - done) / done;
            text.append(", about ").append(Math.round(left)).append(" s left");
        }
        if (!note.isEmpty()) {
            text.append("  ").append(note);
        }
        return text.length() <= LINE_WIDTH ? text.toString() : text.substring(0, LINE_WIDTH);
    }
}
