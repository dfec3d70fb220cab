package org.bitwitness.attestation.dsse;

import java.util.Arrays;
import java.util.Optional;

/**
 * One signature of an envelope.
 *
 * @param keyId the signer's hint for people; nothing is ever decided by it
 * @param bytes ECDSA signature as DER
 */
@SuppressWarnings("ArrayRecordComponent") // copied in and out, compared by content
public record DsseSignature(Optional<String> keyId, byte[] bytes) {
    public DsseSignature {
        bytes = bytes.clone();
    }

    @Override
    public byte[] bytes() {
        return bytes.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DsseSignature that && keyId.equals(that.keyId) && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }
}
