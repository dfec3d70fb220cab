package org.bitwitness.portal;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import io.javalin.Javalin;
import io.javalin.config.JavalinConfig;
import io.javalin.http.ContentType;
import io.javalin.http.Context;
import io.javalin.http.HttpStatus;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.bitwitness.portal.view.PortalView;
import org.bitwitness.portal.view.RunPage;
import org.bitwitness.protocol.Sha256;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The public site and its HTTP API over one {@link PortalView}. Read-only: no request changes anything.
 *
 * <p>Pages are static files that fetch JSON; a strict content security policy keeps text of hostile recordings from
 * ever running as script.
 */
public final class PortalServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PortalServer.class);
    private static final Pattern FILE_NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

    /** Set on a request once an answer of ours is ready, so that the server's own words for 404 do not replace it. */
    private static final String ANSWERED = "answered";

    private static final long REQUEST_LIMIT_BYTES = 64 * 1024;
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
            + "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private static final Map<String, String> HEADERS = Map.of(
            "Content-Security-Policy", POLICY,
            "X-Content-Type-Options", "nosniff",
            "Referrer-Policy", "no-referrer",
            "Cache-Control", "no-cache");

    /** The only libraries pages may load, by their address here: class path resources of pinned packages. */
    private static final Map<String, String> VENDOR = Map.of(
            "/vendor/js-sha256/sha256.min.js",
            "/META-INF/resources/webjars/js-sha256/0.11.1/build/sha256.min.js",
            "/vendor/uplot/uPlot.iife.min.js",
            "/META-INF/resources/webjars/uplot/1.6.30/dist/uPlot.iife.min.js",
            "/vendor/uplot/uPlot.min.css",
            "/META-INF/resources/webjars/uplot/1.6.30/dist/uPlot.min.css");

    private final PortalView view;
    private final Javalin server;
    private final String host;

    /**
     * Starts listening.
     *
     * @param host address to bind, such as {@code 127.0.0.1}
     * @param port TCP port; 0 takes a free one, see {@link #url()}
     * @throws PortalException if the port is taken
     */
    public PortalServer(PortalView view, String host, int port) throws PortalException {
        this.view = view;
        this.host = host;
        this.server = Javalin.create(this::configure);
        try {
            server.start(host, port);
        } catch (RuntimeException failure) {
            server.stop();
            throw new PortalException(
                    "cannot listen on %s port %d: %s. Choose another with --port, or --port 0 for any free one"
                            .formatted(host, port, rootMessage(failure)),
                    failure);
        }
    }

    /** Where the site is, for example {@code http://127.0.0.1:8620/}. */
    public String url() {
        return "http://%s:%d/".formatted(host, server.port());
    }

    @Override
    public void close() {
        server.stop();
    }

    private void configure(JavalinConfig config) {
        config.startup.showJavalinBanner = false;
        config.startup.showOldJavalinVersionWarning = false;
        config.http.maxRequestSize = REQUEST_LIMIT_BYTES;
        config.jsonMapper(new io.javalin.json.JavalinJackson(
                JsonMapper.builder().addModule(new Jdk8Module()).build(), false));
        config.jetty.modifyServer(jetty -> jetty.setErrorHandler(new ServerErrors(HEADERS)));
        config.routes.before(ctx -> HEADERS.forEach(ctx::header));
        config.routes.get("/", ctx -> page(ctx, "index.html"));
        config.routes.get("/log", ctx -> page(ctx, "log.html"));
        config.routes.get("/runs/{runId}", this::runPage);
        config.routes.get("/site/{file}", ctx -> page(ctx, ctx.pathParam("file")));
        VENDOR.forEach((path, resource) -> config.routes.get(path, ctx -> resource(ctx, resource)));
        config.routes.get(
                "/api/v1/runs",
                ctx -> ctx.json(
                        Map.of("runs", view.runs().stream().map(RunPage::card).toList())));
        config.routes.get("/api/v1/names", ctx -> ctx.json(Map.of("names", view.names())));
        config.routes.get("/api/v1/runs/{runId}", this::run);
        config.routes.get("/api/v1/models/{digest}", this::model);
        config.routes.get("/api/v1/log", ctx -> ctx.json(view.log()));
        config.routes.get("/api/v1/entries/{index}/bundle", this::bundle);
        config.routes.get("/log/<path>", this::logFile);
        config.routes.error(404, PortalServer::notFound);
        config.routes.exception(PortalException.class, (failure, ctx) -> {
            LOG.warn("request {} {}: {}", ctx.method(), ctx.path(), failure.getMessage());
            error(ctx, HttpStatus.SERVICE_UNAVAILABLE, String.valueOf(failure.getMessage()));
        });
        config.routes.exception(Exception.class, (failure, ctx) -> {
            LOG.warn("request {} {} failed", ctx.method(), ctx.path(), failure);
            error(ctx, HttpStatus.INTERNAL_SERVER_ERROR, "the portal failed to answer; its log says why");
        });
    }

    /** The page is the same for every run and asks for the rest itself; only the status says whether there is one. */
    private void runPage(Context ctx) throws IOException {
        page(ctx, "run.html");
        String runId = ctx.pathParam("runId");
        try {
            if (!Sha256.isHex(runId) || view.run(Sha256.ofHex(runId)).isEmpty()) {
                ctx.status(HttpStatus.NOT_FOUND);
            }
        } catch (PortalException e) {
            ctx.status(HttpStatus.SERVICE_UNAVAILABLE);
        }
    }

    private void run(Context ctx) throws PortalException {
        Optional<Sha256> runId = digest(ctx, "runId");
        if (runId.isEmpty()) {
            return;
        }
        view.run(runId.get())
                .ifPresentOrElse(
                        ctx::json,
                        () -> error(ctx, HttpStatus.NOT_FOUND, "this log holds no run %s".formatted(runId.get())));
    }

    /** A digest may name a released file or, for convenience, a run. */
    private void model(Context ctx) throws PortalException {
        Optional<Sha256> digest = digest(ctx, "digest");
        if (digest.isEmpty()) {
            return;
        }
        Optional<RunPage> found = view.releasedBy(digest.get());
        if (found.isEmpty()) {
            found = view.run(digest.get());
        }
        found.ifPresentOrElse(
                page -> ctx.json(Map.of("runId", page.runId())),
                () -> error(ctx, HttpStatus.NOT_FOUND, "nothing in this log speaks of %s".formatted(digest.get())));
    }

    private void bundle(Context ctx) throws PortalException {
        String index = ctx.pathParam("index");
        Optional<byte[]> bundle =
                index.matches("0|[1-9][0-9]{0,17}") ? view.bundle(Long.parseLong(index)) : Optional.empty();
        bundle.ifPresentOrElse(
                bytes -> ctx.contentType(ContentType.APPLICATION_JSON).result(bytes),
                () -> error(ctx, HttpStatus.NOT_FOUND, "this log has no entry " + index));
    }

    private void logFile(Context ctx) throws PortalException {
        view.logFile(ctx.pathParam("path"))
                .ifPresentOrElse(
                        bytes -> ctx.contentType(
                                        ctx.path().endsWith("/checkpoint")
                                                ? ContentType.TEXT_PLAIN
                                                : ContentType.APPLICATION_OCTET_STREAM)
                                .result(bytes),
                        () -> error(ctx, HttpStatus.NOT_FOUND, "the log folder has no such file"));
    }

    private static Optional<Sha256> digest(Context ctx, String parameter) {
        String text = ctx.pathParam(parameter);
        if (!text.matches("[0-9a-f]{64}")) {
            error(
                    ctx,
                    HttpStatus.BAD_REQUEST,
                    "expected 64 lower-case hexadecimal digits, found " + text.length() + " characters");
            return Optional.empty();
        }
        return Optional.of(Sha256.ofHex(text));
    }

    private static void page(Context ctx, String file) throws IOException {
        if (FILE_NAME.matcher(file).matches()) {
            resource(ctx, "/site/" + file);
        } else {
            ctx.status(HttpStatus.NOT_FOUND);
        }
    }

    private static void resource(Context ctx, String path) throws IOException {
        try (InputStream in = PortalServer.class.getResourceAsStream(path)) {
            if (in == null) {
                ctx.status(HttpStatus.NOT_FOUND);
                return;
            }
            ctx.attribute(ANSWERED, true);
            ctx.contentType(typeOf(path)).result(in.readAllBytes());
        }
    }

    private static String typeOf(String path) {
        return switch (path.substring(path.lastIndexOf('.') + 1)) {
            case "html" -> "text/html; charset=utf-8";
            case "css" -> "text/css; charset=utf-8";
            case "js" -> "text/javascript; charset=utf-8";
            case "svg" -> "image/svg+xml";
            default -> "application/octet-stream";
        };
    }

    private static void notFound(Context ctx) throws IOException {
        if (ctx.attribute(ANSWERED) != null) {
            return;
        }
        if (wantsPage(ctx)) {
            page(ctx, "nothing.html");
        } else {
            error(ctx, HttpStatus.NOT_FOUND, "there is nothing at this address");
        }
    }

    /** Browsers say that they like pages; programs get their answer as JSON. */
    private static boolean wantsPage(Context ctx) {
        return !ctx.path().startsWith("/api/")
                && Optional.ofNullable(ctx.header("Accept")).orElse("").contains("text/html");
    }

    private static void error(Context ctx, HttpStatus status, String message) {
        ctx.attribute(ANSWERED, true);
        ctx.status(status).json(Map.of("error", message));
    }

    private static String rootMessage(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return Objects.requireNonNullElse(cause.getMessage(), cause.getClass().getSimpleName());
    }
}
