package org.bitwitness.attestation.witness;

import java.nio.charset.StandardCharsets;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.bytes.CanonicalEncoder;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.JsonFields;
import org.bitwitness.protocol.format.StrictJson;

/**
 * Body of {@code POST /beacon}: the tree on whose cosigning the randomness is to rest, and the entry that is to be
 * challenged.
 *
 * <pre>{"origin":"example.com/log","treeSize":5,"logRoot":"ab…","leafIndex":4}</pre>
 *
 * @param treeSize size of the first cosigned tree that holds the entry
 * @param leafIndex below {@code treeSize}
 */
public record BeaconRequest(String origin, long treeSize, Sha256 logRoot, long leafIndex) {
    static final int MAX_BYTES = 4096;

    public BeaconRequest {
        if (leafIndex < 0 || leafIndex >= treeSize) {
            throw new IllegalArgumentException(
                    "need 0 <= leafIndex < treeSize, got %d and %d".formatted(leafIndex, treeSize));
        }
    }

    /**
     * What a witness proves its VRF over: {@code E(witness-beacon, origin, treeSize, logRoot, leafIndex)}. The entry is
     * part of it because a witness answers for one tree only, the first it cosigned with that entry in it: otherwise
     * whoever asks could wait, tree after tree, for an outcome they like.
     */
    public byte[] alpha() {
        return CanonicalEncoder.of("witness-beacon")
                .text(origin)
                .u64(treeSize)
                .digest(logRoot)
                .u64(leafIndex)
                .toBytes();
    }

    static BeaconRequest parse(byte[] json) throws AttestationException {
        try {
            StrictJson reader = StrictJson.with(StrictJson.Limits.DEFAULT.withMaxBytes(MAX_BYTES));
            JsonFields fields = JsonFields.of("request", reader.readObject(json, "request"));
            long treeSize = fields.integer("treeSize", 1, Long.MAX_VALUE);
            BeaconRequest request = new BeaconRequest(
                    fields.text("origin"),
                    treeSize,
                    fields.digest("logRoot"),
                    fields.integer("leafIndex", 0, treeSize - 1));
            fields.end();
            return request;
        } catch (ProtocolException e) {
            throw AttestationException.of(e);
        }
    }

    byte[] toBytes() {
        return Json.object()
                .put("origin", origin)
                .put("treeSize", treeSize)
                .put("logRoot", logRoot.hex())
                .put("leafIndex", leafIndex)
                .build()
                .toText()
                .getBytes(StandardCharsets.UTF_8);
    }
}
