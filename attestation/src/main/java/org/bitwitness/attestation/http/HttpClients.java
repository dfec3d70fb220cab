package org.bitwitness.attestation.http;

import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.bitwitness.attestation.AttestationException;
import org.jspecify.annotations.Nullable;

/** One HTTP exchange with a deadline and a most number of bytes. Redirects are not followed. */
public final class HttpClients {
    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final Duration EXCHANGE = Duration.ofSeconds(30);

    private HttpClients() {}

    /** The client is made when first used, so that commands without a network do not pay for it. */
    private static final class Shared {
        static final HttpClient CLIENT = HttpClient.newBuilder()
                .connectTimeout(CONNECT)
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .build();
    }

    /** An answer, whatever its status. */
    @SuppressWarnings("ArrayRecordComponent") // copied in and out; never compared
    public record Answer(int status, byte[] body) {
        public Answer {
            body = body.clone();
        }

        @Override
        public byte[] body() {
            return body.clone();
        }

        /** The body as text, at most 300 characters, for messages. */
        public String shown() {
            String text = new String(body, java.nio.charset.StandardCharsets.UTF_8).strip();
            return text.length() <= 300 ? text : text.substring(0, 300) + "…";
        }
    }

    /** Adds a path to a base URL, whether or not the base ends in a slash. */
    public static URI resolve(URI base, String path) {
        String text = base.toString();
        return URI.create((text.endsWith("/") ? text : text + "/") + path);
    }

    public static Answer get(URI url, int maxBytes) throws AttestationException {
        return exchange(HttpRequest.newBuilder(url).timeout(EXCHANGE).GET().build(), maxBytes);
    }

    public static Answer post(URI url, String contentType, byte[] body, int maxBytes) throws AttestationException {
        return exchange(
                HttpRequest.newBuilder(url)
                        .timeout(EXCHANGE)
                        .header("Content-Type", contentType)
                        .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                        .build(),
                maxBytes);
    }

    private static Answer exchange(HttpRequest request, int maxBytes) throws AttestationException {
        CompletableFuture<HttpResponse<byte[]>> exchange = Shared.CLIENT.sendAsync(
                request, HttpResponse.BodyHandlers.limiting(HttpResponse.BodyHandlers.ofByteArray(), maxBytes));
        try {
            // The deadline is for the whole exchange: the request's own timeout ends with the headers.
            HttpResponse<byte[]> response = exchange.get(EXCHANGE.toMillis(), TimeUnit.MILLISECONDS);
            return new Answer(response.statusCode(), response.body());
        } catch (TimeoutException e) {
            exchange.cancel(true);
            throw failed(request, "no whole answer in " + EXCHANGE.toSeconds() + " s", e);
        } catch (InterruptedException e) {
            exchange.cancel(true);
            Thread.currentThread().interrupt();
            throw failed(request, "interrupted", e);
        } catch (ExecutionException e) {
            throw failed(request, reason(e.getCause(), maxBytes), e);
        }
    }

    private static String reason(@Nullable Throwable cause, int maxBytes) {
        return switch (cause) {
            case ConnectException refused -> "nobody listens there: is the process running?";
            case HttpTimeoutException late -> "no answer in " + EXCHANGE.toSeconds() + " s";
            case null -> "no answer";
            default -> cause + " (an answer may have " + maxBytes + " bytes)";
        };
    }

    private static AttestationException failed(HttpRequest request, String why, Exception cause) {
        return new AttestationException(
                AttestationException.Kind.ENVIRONMENT, request.method() + " " + request.uri() + ": " + why, cause);
    }
}
