package org.bitwitness.portal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/** Answers what never reaches a route, such as a request that is no HTTP, in the words and headers of the other answers. */
final class ServerErrors extends ErrorHandler {
    private static final byte[] BODY =
            "{\"error\":\"the server cannot take this request\"}".getBytes(StandardCharsets.US_ASCII);

    private final Map<String, String> headers;

    /** @param headers that every answer has */
    ServerErrors(Map<String, String> headers) {
        this.headers = Map.copyOf(headers);
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        headers.forEach(response.getHeaders()::put);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
        response.write(true, ByteBuffer.wrap(BODY), callback);
        return true;
    }
}
