package org.bitwitness.attestation.log;

import java.nio.charset.StandardCharsets;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.dsse.DsseEnvelope;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.JsonFields;
import org.bitwitness.protocol.format.StrictJson;

/**
 * Body of {@code POST /api/v1/add}.
 *
 * <pre>
 * {"envelope":{"payload":"…","payloadType":"…","signatures":[{"sig":"…"}]},
 *  "publicKey":"-----BEGIN PUBLIC KEY-----\n…"}
 * </pre>
 */
record AddRequest(DsseEnvelope envelope, VerifyingKey publicKey) {
    /** A payload in base64, and room for the rest. */
    static final int MAX_BYTES = DsseEnvelope.MAX_PAYLOAD_BYTES / 3 * 4 + (1 << 16);

    static AddRequest parse(byte[] json) throws AttestationException {
        try {
            StrictJson reader = StrictJson.with(StrictJson.Limits.DEFAULT.withMaxBytes(MAX_BYTES));
            JsonFields fields = JsonFields.of("request", reader.readObject(json, "request"));
            DsseEnvelope envelope = DsseEnvelope.of(fields.object("envelope"));
            VerifyingKey key = VerifyingKey.ofPem(fields.text("publicKey"));
            fields.end();
            return new AddRequest(envelope, key);
        } catch (ProtocolException e) {
            throw AttestationException.of(e);
        }
    }

    byte[] toBytes() {
        return Json.object()
                .put("envelope", envelope.toJson())
                .put("publicKey", publicKey.pem())
                .build()
                .toText()
                .getBytes(StandardCharsets.UTF_8);
    }
}
