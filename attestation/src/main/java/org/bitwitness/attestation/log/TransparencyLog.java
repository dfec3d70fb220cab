package org.bitwitness.attestation.log;

import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.dsse.DsseEnvelope;
import org.bitwitness.attestation.keys.VerifyingKey;

/** A log to append to, here or on another machine. */
public interface TransparencyLog {
    /**
     * Appends a signed statement. Returns once the entry, its payload and a checkpoint that holds it and meets the
     * log's policy are on disk. Appending the same statement again returns the entry that is there.
     *
     * @param envelope one signature, made by {@code signer}
     * @throws AttestationException if the signature does not hold, or the log or its witnesses cannot answer
     */
    LogReceipt append(DsseEnvelope envelope, VerifyingKey signer) throws AttestationException;
}
