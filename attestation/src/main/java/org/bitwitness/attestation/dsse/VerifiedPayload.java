package org.bitwitness.attestation.dsse;

import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;

/**
 * A body whose signature has been checked. Only {@link DsseEnvelope#verify} makes one, so a parser that asks for it
 * reads exactly the bytes that were verified.
 */
public final class VerifiedPayload {
    private final String payloadType;
    private final byte[] body;
    private final VerifyingKey signer;

    VerifiedPayload(String payloadType, byte[] body, VerifyingKey signer) {
        this.payloadType = payloadType;
        this.body = body.clone();
        this.signer = signer;
    }

    public String payloadType() {
        return payloadType;
    }

    /** The signed bytes. */
    public byte[] body() {
        return body.clone();
    }

    /** The key whose signature holds. */
    public VerifyingKey signer() {
        return signer;
    }

    /** SHA-256 of the body: the name of this payload in a log. */
    public Sha256 digest() {
        return Hashing.sha256(body);
    }
}
