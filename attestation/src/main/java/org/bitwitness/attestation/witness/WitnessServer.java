package org.bitwitness.attestation.witness;

import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.http.HttpService;
import org.bitwitness.protocol.format.Json;

/** Serves a witness: {@code POST /add-checkpoint} of c2sp.org/tlog-witness, and {@code POST /beacon} of ours. */
public final class WitnessServer implements AutoCloseable {
    static final String ADD_CHECKPOINT = "/add-checkpoint";
    static final String BEACON = "/beacon";
    static final String SIZE_TYPE = "text/x.tlog.size";

    private final Witness witness;
    private final HttpService http;

    private WitnessServer(Witness witness, InetSocketAddress address) throws AttestationException {
        this.witness = witness;
        this.http = HttpService.start(address, AddCheckpointRequest.MAX_BYTES, this::handle);
    }

    /** Starts to serve. {@code witness} is closed by {@link #close}. */
    public static WitnessServer start(Witness witness, InetSocketAddress address) throws AttestationException {
        return new WitnessServer(witness, address);
    }

    public URI url() {
        return http.url();
    }

    @Override
    public void close() throws AttestationException {
        http.close();
        witness.close();
    }

    private HttpService.Reply handle(HttpService.Request request) throws AttestationException {
        return switch (request.method() + " " + request.path()) {
            case "POST " + ADD_CHECKPOINT -> addCheckpoint(request.body());
            case "POST " + BEACON -> beacon(request.body());
            case "GET /" ->
                HttpService.Reply.text(200, "witness " + witness.verifier().vkey() + "\n");
            default ->
                HttpService.Reply.error(404, "this witness answers POST " + ADD_CHECKPOINT + " and POST " + BEACON);
        };
    }

    private HttpService.Reply addCheckpoint(byte[] body) throws AttestationException {
        return switch (witness.addCheckpoint(AddCheckpointRequest.parse(body))) {
            case Witness.Outcome.Cosigned done ->
                HttpService.Reply.text(200, done.signature().line() + "\n");
            case Witness.Outcome.Conflict conflict ->
                new HttpService.Reply(409, SIZE_TYPE, (conflict.size() + "\n").getBytes(StandardCharsets.US_ASCII));
            case Witness.Outcome.Refused refused -> HttpService.Reply.error(refused.status(), refused.message());
        };
    }

    private HttpService.Reply beacon(byte[] body) throws AttestationException {
        BeaconRequest request = BeaconRequest.parse(body);
        return HttpService.Reply.json(
                200, Json.object().put("proof", witness.beacon(request).hex()).build());
    }
}
