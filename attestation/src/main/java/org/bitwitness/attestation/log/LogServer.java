package org.bitwitness.attestation.log;

import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.http.HttpService;
import org.bitwitness.protocol.Sha256;

/**
 * Serves one log: {@code POST /api/v1/add} appends, everything else is the log's static files.
 *
 * <p>Requests that arrive while a batch is on its way to disk and to the witnesses form the next batch.
 */
public final class LogServer implements AutoCloseable {
    /** Path of the one request that changes something. */
    static final String ADD = "/api/v1/add";

    private static final int MAX_BATCH = 1024;

    /** A batch is in memory several times on its way to disk, and anybody may send statements of the largest size. */
    static final long MAX_BATCH_BYTES = 16 << 20;

    private static final int MAX_WAITING = 4096;
    private static final long WAIT_SECONDS = 90;
    private static final int MAX_FILE_BYTES = EntryBundle.MAX_BYTES;

    private final LocalTileLog log;
    private final LogSource files;
    private final BlockingQueue<Waiting> queue = new ArrayBlockingQueue<>(MAX_WAITING);
    private final Thread sequencer;
    private final HttpService http;
    private volatile boolean closing;

    record Waiting(NewEntry entry, CompletableFuture<LogReceipt> receipt) {}

    private LogServer(LocalTileLog log, LogSource files, InetSocketAddress address) throws AttestationException {
        this.log = log;
        this.files = files;
        this.sequencer = Thread.ofPlatform().daemon().name("log-sequencer").unstarted(this::sequence);
        this.http = HttpService.start(address, AddRequest.MAX_BYTES, this::handle);
    }

    /**
     * Starts to serve.
     *
     * @param log closed by {@link #close}
     * @param files the same log, for reading
     */
    public static LogServer start(LocalTileLog log, LogSource files, InetSocketAddress address)
            throws AttestationException {
        LogServer server = new LogServer(log, files, address);
        server.sequencer.start();
        return server;
    }

    public URI url() {
        return http.url();
    }

    /** Stops taking requests, finishes the batch in progress and releases the folder. */
    @Override
    public void close() throws AttestationException {
        closing = true;
        http.close();
        try {
            sequencer.join(TimeUnit.SECONDS.toMillis(WAIT_SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        log.close();
    }

    private HttpService.Reply handle(HttpService.Request request) throws AttestationException {
        boolean add = request.path().equals(ADD);
        if (add && request.method().equals("POST")) {
            return add(request.body());
        }
        if (add || !(request.method().equals("GET") || request.method().equals("HEAD"))) {
            return HttpService.Reply.error(405, "POST " + ADD + " appends; everything else is read with GET");
        }
        return file(request.path());
    }

    private HttpService.Reply add(byte[] body) throws AttestationException {
        AddRequest request = AddRequest.parse(body);
        NewEntry entry = NewEntry.of(request.envelope(), request.publicKey());
        Waiting waiting = new Waiting(entry, new CompletableFuture<>());
        if (closing || !queue.offer(waiting)) {
            return HttpService.Reply.error(503, "this log is stopping or has too much to do: try again later");
        }
        try {
            return HttpService.Reply.json(
                    200, waiting.receipt().get(WAIT_SECONDS, TimeUnit.SECONDS).toJson());
        } catch (ExecutionException e) {
            if (e.getCause() instanceof AttestationException refused) {
                throw refused;
            }
            throw new IllegalStateException("the sequencer failed", e);
        } catch (TimeoutException e) {
            throw new AttestationException(
                    AttestationException.Kind.ENVIRONMENT,
                    "not acknowledged within " + WAIT_SECONDS + " s: append the same again later; it is kept once",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AttestationException(AttestationException.Kind.ENVIRONMENT, "interrupted", e);
        }
    }

    private HttpService.Reply file(String path) throws AttestationException {
        String relative = path.substring(1);
        String type =
                relative.equals(LocalTileLog.CHECKPOINT) ? "text/plain; charset=utf-8" : "application/octet-stream";
        Optional<byte[]> bytes = isServed(relative) ? files.read(relative, MAX_FILE_BYTES) : Optional.empty();
        return bytes.map(b -> new HttpService.Reply(200, type, b))
                .orElseGet(() -> HttpService.Reply.error(404, "this log has no such file"));
    }

    /** Only names that a log has, in their one spelling: no path of a request reaches the disk otherwise. */
    private static boolean isServed(String path) {
        return path.equals(LocalTileLog.CHECKPOINT)
                || TilePath.parse(path).isPresent()
                || (path.startsWith("payload/") && Sha256.isHex(path.substring("payload/".length())));
    }

    private void sequence() {
        List<Waiting> batch = new ArrayList<>();
        while (!closing || !queue.isEmpty()) {
            try {
                Waiting first = queue.poll(200, TimeUnit.MILLISECONDS);
                if (first == null) {
                    continue;
                }
                batch.add(first);
                fill(batch, queue);
                acknowledge(batch);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } finally {
                batch.clear();
            }
        }
    }

    /** Adds what waits already until the batch is full. */
    static void fill(List<Waiting> batch, Queue<Waiting> queue) {
        long bytes =
                batch.stream().mapToLong(waiting -> waiting.entry().bytes()).sum();
        while (batch.size() < MAX_BATCH && bytes < MAX_BATCH_BYTES) {
            Waiting next = queue.poll();
            if (next == null) {
                return;
            }
            batch.add(next);
            bytes += next.entry().bytes();
        }
    }

    private void acknowledge(List<Waiting> batch) {
        try {
            List<LogReceipt> receipts =
                    log.append(batch.stream().map(Waiting::entry).toList());
            for (int i = 0; i < batch.size(); i++) {
                batch.get(i).receipt().complete(receipts.get(i));
            }
        } catch (AttestationException | RuntimeException e) {
            batch.forEach(waiting -> waiting.receipt().completeExceptionally(e));
        }
    }
}
