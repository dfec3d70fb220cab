package org.bitwitness.attestation.log;

import java.net.URI;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.http.HttpClients;

/** A log on a web host that serves plain files. */
public final class HttpSource implements LogSource {
    private final URI base;

    /** @param base the log's URL; paths are added after a slash */
    public HttpSource(URI base) {
        this.base = base;
    }

    @Override
    public String place() {
        return base.toString();
    }

    @Override
    public Optional<byte[]> read(String path, int maxBytes) throws AttestationException {
        HttpClients.Answer answer = HttpClients.get(HttpClients.resolve(base, path), maxBytes);
        return switch (answer.status()) {
            case 200 -> Optional.of(answer.body());
            case 404, 410 -> Optional.empty();
            default ->
                throw AttestationException.environment(
                        "GET %s/%s: status %d %s".formatted(base, path, answer.status(), answer.shown()));
        };
    }
}
