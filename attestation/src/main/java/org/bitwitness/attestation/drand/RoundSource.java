package org.bitwitness.attestation.drand;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.http.HttpClients;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.format.JsonFields;
import org.bitwitness.protocol.format.StrictJson;

/** Where a round's signature comes from. What it gives is checked by {@link DrandChain#verify}. */
public interface RoundSource {
    /** Public relays, asked one after the other. */
    List<URI> RELAYS = List.of(URI.create("https://api.drand.sh"), URI.create("https://drand.cloudflare.com"));

    /** Bytes of a relay's answer at most. */
    int MAX_BYTES = 1 << 14;

    /** Signature of a round, unverified. */
    byte[] signature(DrandChain chain, long round) throws AttestationException;

    /** Asks the public relays. */
    static RoundSource live() {
        return relays(RELAYS);
    }

    /** Asks {@code BASE/CHAINHASH/public/ROUND} of each until one answers. */
    static RoundSource relays(List<URI> bases) {
        return (chain, round) -> {
            List<String> problems = new ArrayList<>();
            for (URI base : bases) {
                URI url = HttpClients.resolve(base, chain.chainHash() + "/public/" + round);
                try {
                    HttpClients.Answer answer = HttpClients.get(url, MAX_BYTES);
                    if (answer.status() == 200) {
                        return parse(answer.body(), round, url.toString());
                    }
                    problems.add(url + " answers " + answer.status());
                } catch (AttestationException e) {
                    problems.add(e.getMessage());
                }
            }
            throw AttestationException.inconclusive(
                    "drand round %d (published at %s) is not to be had: %s. Try again after that time, or fetch it elsewhere and give it with --round-file"
                            .formatted(round, chain.timeOf(round), String.join("; ", problems)));
        };
    }

    /** A file as a relay answers it, for machines without a network. */
    static RoundSource file(Path file) {
        return (chain, round) -> {
            try {
                if (Files.size(file) > MAX_BYTES) {
                    throw AttestationException.malformed(file + " is too large for a drand round");
                }
                return parse(Files.readAllBytes(file), round, file.toString());
            } catch (IOException e) {
                throw new AttestationException(
                        AttestationException.Kind.ENVIRONMENT,
                        "cannot read %s (%s): it should hold what a drand relay answers for /%s/public/%d"
                                .formatted(file, e, chain.chainHash(), round),
                        e);
            }
        };
    }

    /**
     * Reads {@code {"round":1000,"randomness":"…","signature":"…"}}; other fields belong to other schemes.
     *
     * @param round the one that was asked for
     * @param place for messages
     */
    static byte[] parse(byte[] json, long round, String place) throws AttestationException {
        try {
            JsonFields fields = JsonFields.of(place, StrictJson.object(json, place));
            long found = fields.integer("round", 1, Long.MAX_VALUE);
            if (found != round) {
                throw AttestationException.refused(
                        "%s holds round %d; the rule fixes round %d: fetch that one".formatted(place, found, round));
            }
            String hex = fields.text("signature");
            if (!hex.matches("[0-9a-f]{" + 2 * DrandChain.SIGNATURE_BYTES + "}")) {
                throw AttestationException.malformed(
                        place + ": signature should have " + 2 * DrandChain.SIGNATURE_BYTES + " hex digits");
            }
            return HexFormat.of().parseHex(hex);
        } catch (ProtocolException e) {
            throw AttestationException.of(e);
        }
    }
}
