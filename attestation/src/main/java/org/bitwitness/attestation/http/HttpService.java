package org.bitwitness.attestation.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.protocol.format.Json;

/** A server on one address that hands each request to one handler. */
public final class HttpService implements AutoCloseable {
    private static final int CONNECTIONS = 512;
    private static final int BACKLOG = 64;

    /**
     * A body up to this size is read at once; larger ones wait for one of a few places and keep it until they are
     * answered, which bounds memory.
     */
    static final int SMALL_BODY_BYTES = 1 << 16;

    static final int LARGE_BODIES = 16;

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    static {
        // The JDK's server reads these once, when it is first used: a client that sends or reads too slowly is cut off.
        limit("sun.net.httpserver.maxReqTime", "20");
        limit("sun.net.httpserver.maxRspTime", "60");
        limit("sun.net.httpserver.idleInterval", "30");
        limit("jdk.httpserver.maxConnections", String.valueOf(CONNECTIONS));
        limit("sun.net.httpserver.nodelay", "true");
    }

    private final HttpServer server;
    private final ExecutorService threads;

    private HttpService(HttpServer server, ExecutorService threads) {
        this.server = server;
        this.threads = threads;
    }

    /** Answers one request. */
    public interface Handler {
        Reply handle(Request request) throws AttestationException;
    }

    /**
     * A request, its body read.
     *
     * @param path decoded by nobody: handlers match it exactly
     */
    @SuppressWarnings("ArrayRecordComponent") // copied in and out; never compared
    public record Request(String method, String path, byte[] body) {
        public Request {
            body = body.clone();
        }

        @Override
        public byte[] body() {
            return body.clone();
        }
    }

    /** An answer. */
    @SuppressWarnings("ArrayRecordComponent") // copied in and out; never compared
    public record Reply(int status, String contentType, byte[] body) {
        public Reply {
            body = body.clone();
        }

        @Override
        public byte[] body() {
            return body.clone();
        }

        public static Reply text(int status, String text) {
            return new Reply(status, "text/plain; charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
        }

        public static Reply json(int status, Json.Obj value) {
            return new Reply(status, "application/json", value.toText().getBytes(StandardCharsets.UTF_8));
        }

        /** An error in one line of JSON: {@code {"error": …}}. */
        public static Reply error(int status, String message) {
            return json(status, Json.object().put("error", message).build());
        }
    }

    /**
     * Starts to listen.
     *
     * @param address port 0 picks a free one
     * @param maxBodyBytes a longer body is answered 413 without being read further
     * @throws AttestationException if the port is taken or the address is not of this machine
     */
    public static HttpService start(InetSocketAddress address, int maxBodyBytes, Handler handler)
            throws AttestationException {
        return start(address, new Bodies(maxBodyBytes, new Semaphore(LARGE_BODIES), PATIENCE), handler);
    }

    static HttpService start(InetSocketAddress address, Bodies bodies, Handler handler) throws AttestationException {
        HttpServer server;
        try {
            server = HttpServer.create(address, BACKLOG);
        } catch (BindException e) {
            throw new AttestationException(
                    AttestationException.Kind.ENVIRONMENT,
                    "cannot listen on %s:%d (%s): another process may use the port; choose another, or 0 for any free one"
                            .formatted(address.getHostString(), address.getPort(), e.getMessage()),
                    e);
        } catch (IOException e) {
            throw new AttestationException(
                    AttestationException.Kind.ENVIRONMENT, "cannot listen on " + address + ": " + e, e);
        }
        // A thread costs nothing while its client is slow; how many there are follows from the connections.
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        server.setExecutor(threads);
        server.createContext("/", exchange -> serve(exchange, bodies, handler));
        server.start();
        return new HttpService(server, threads);
    }

    /** Where it listens, with the port that was picked. */
    public URI url() {
        InetSocketAddress at = server.getAddress();
        String host = at.getAddress().getHostAddress();
        return URI.create("http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + at.getPort());
    }

    /** Stops listening and waits up to two seconds for requests in progress. */
    @Override
    public void close() {
        server.stop(2);
        threads.shutdown();
    }

    private static void serve(HttpExchange exchange, Bodies bodies, Handler handler) throws IOException {
        try (exchange) {
            Reply reply = reply(exchange, bodies, handler);
            exchange.getResponseHeaders().set("Content-Type", reply.contentType());
            exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
            byte[] body = reply.body();
            boolean head = exchange.getRequestMethod().equals("HEAD");
            exchange.sendResponseHeaders(reply.status(), head || body.length == 0 ? -1 : body.length);
            if (!head && body.length > 0) {
                try (OutputStream out = exchange.getResponseBody()) {
                    out.write(body);
                }
            }
        }
    }

    /**
     * How bodies are read: at most so long, and at most so many large ones at a time.
     *
     * @param places for large ones
     * @param patience with which a large one waits for a place
     */
    record Bodies(int maxBytes, Semaphore places, Duration patience) {
        /** One byte more than allowed means: too long. */
        byte[] start(InputStream in) throws IOException {
            return in.readNBytes(Math.min(SMALL_BODY_BYTES, maxBytes + 1));
        }

        boolean isWhole(byte[] start) {
            return start.length < SMALL_BODY_BYTES || start.length > maxBytes;
        }

        byte[] whole(byte[] start, InputStream in) throws IOException {
            byte[] rest = in.readNBytes(maxBytes + 1 - start.length);
            byte[] whole = Arrays.copyOf(start, start.length + rest.length);
            System.arraycopy(rest, 0, whole, start.length, rest.length);
            return whole;
        }

        boolean takePlace() {
            try {
                return places.tryAcquire(patience.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
    }

    private static Reply reply(HttpExchange exchange, Bodies bodies, Handler handler) throws IOException {
        try (InputStream in = exchange.getRequestBody()) {
            byte[] start = bodies.start(in);
            if (bodies.isWhole(start)) {
                return reply(exchange, start, bodies, handler);
            }
            if (!bodies.takePlace()) {
                exchange.getResponseHeaders().set("Connection", "close");
                return Reply.error(503, "too many large requests at a time: try again later");
            }
            try {
                return reply(exchange, bodies.whole(start, in), bodies, handler);
            } finally {
                bodies.places().release();
            }
        }
    }

    private static Reply reply(HttpExchange exchange, byte[] body, Bodies bodies, Handler handler) {
        if (body.length > bodies.maxBytes()) {
            exchange.getResponseHeaders().set("Connection", "close");
            return Reply.error(413, "a request has at most " + bodies.maxBytes() + " bytes");
        }
        String path = exchange.getRequestURI().getRawPath();
        try {
            return handler.handle(new Request(exchange.getRequestMethod(), path == null ? "/" : path, body));
        } catch (AttestationException e) {
            return Reply.error(status(e.kind()), String.valueOf(e.getMessage()));
        } catch (RuntimeException bug) {
            System.getLogger(HttpService.class.getName()).log(System.Logger.Level.ERROR, "a request failed", bug);
            return Reply.error(500, "this server has a fault; its own output has the details");
        }
    }

    private static int status(AttestationException.Kind kind) {
        return switch (kind) {
            case MALFORMED -> 400;
            case REFUSED -> 403;
            case INCONCLUSIVE, ENVIRONMENT -> 503;
        };
    }

    private static void limit(String property, String value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, value);
        }
    }
}
