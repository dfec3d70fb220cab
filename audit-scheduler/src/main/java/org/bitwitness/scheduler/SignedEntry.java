package org.bitwitness.scheduler;

import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.bundle.SigstoreBundle;
import org.bitwitness.attestation.bundle.TlogEntry;
import org.bitwitness.attestation.dsse.DsseEnvelope;
import org.bitwitness.attestation.dsse.LogEntry;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.log.LogReceipt;
import org.bitwitness.attestation.log.TransparencyLog;
import org.bitwitness.attestation.statement.Statement;
import org.bitwitness.attestation.trust.VerifiedCheckpoint;
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
        VerifiedCheckpoint checkpoint = receipt.verify(policy);
        LogEntry leaf = LogEntry.parse(receipt.leaf());
        if (!leaf.standsFor(envelope)) {
            throw AttestationException.refused("the log answered with an entry for another statement");
        }
        TlogEntry entry = TlogEntry.of(
                checkpoint.log().key(),
                leaf,
                receipt.inclusion(),
                checkpoint.checkpoint().root(),
                receipt.checkpoint().toString());
        SigstoreBundle bundle = SigstoreBundle.of(key.verifyingKey(), envelope, Optional.of(entry));
        return new SignedEntry(receipt.index(), envelope.payloadDigest(), bundle);
    }
}
