package org.bitwitness.scheduler;

import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.bundle.SigstoreBundle;
import org.bitwitness.attestation.dsse.DsseEnvelope;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.log.LogReceipt;
import org.bitwitness.attestation.log.TransparencyLog;
import org.bitwitness.attestation.statement.Statement;
import org.bitwitness.attestation.trust.WitnessPolicy;
import org.bitwitness.protocol.Sha256;

/**
 * A statement that was signed and logged.
 *
 * @param index its place in the log
 * @param payload SHA-256 of the signed bytes
 * @param bundle everything that anybody needs to check it offline
 */
record SignedEntry(long index, Sha256 payload, SigstoreBundle bundle) {

    /** Signs, appends, and believes the log's answer only after checking it. */
    static SignedEntry append(Statement statement, SigningKey key, TransparencyLog log, WitnessPolicy policy)
            throws AttestationException {
        DsseEnvelope envelope = statement.sign(key);
        LogReceipt receipt = log.append(envelope, key.verifyingKey());
        SigstoreBundle bundle = SigstoreBundle.of(key.verifyingKey(), envelope, receipt, policy);
        return new SignedEntry(receipt.index(), envelope.payloadDigest(), bundle);
    }
}
