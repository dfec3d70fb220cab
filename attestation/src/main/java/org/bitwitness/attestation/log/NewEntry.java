package org.bitwitness.attestation.log;

import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.dsse.DsseEnvelope;
import org.bitwitness.attestation.dsse.LogEntry;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;

/**
 * What is about to be appended.
 *
 * @param leaf the bytes the tree hashes, at most 65,535
 * @param payload stored beside the tree under its SHA-256
 */
@SuppressWarnings("ArrayRecordComponent") // copied in and out; never compared
public record NewEntry(byte[] leaf, byte[] payload) {
    public NewEntry {
        if (leaf.length == 0 || leaf.length > EntryBundle.MAX_ENTRY_BYTES) {
            throw new IllegalArgumentException(
                    "an entry has 1 to %d bytes, got %d".formatted(EntryBundle.MAX_ENTRY_BYTES, leaf.length));
        }
        leaf = leaf.clone();
        payload = payload.clone();
    }

    /** The entry for a signed statement. Checks that {@code key} signed it. */
    public static NewEntry of(DsseEnvelope envelope, VerifyingKey key) throws AttestationException {
        return new NewEntry(LogEntry.ofDsse(envelope, key).leaf(), envelope.unverifiedPayload());
    }

    @Override
    public byte[] leaf() {
        return leaf.clone();
    }

    @Override
    public byte[] payload() {
        return payload.clone();
    }

    /** Of leaf and payload. */
    int bytes() {
        return leaf.length + payload.length;
    }

    String payloadPath() {
        return payloadPath(Hashing.sha256(payload));
    }

    static String payloadPath(Sha256 digest) {
        return "payload/" + digest.hex();
    }
}
