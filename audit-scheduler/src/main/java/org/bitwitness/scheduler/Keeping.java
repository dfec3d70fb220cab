package org.bitwitness.scheduler;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.CommitmentDigest;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.bytes.CanonicalEncoder;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.replayer.KeepPlace;
import org.bitwitness.replayer.KeepSecret;

/**
 * Where a replay that may be killed keeps how far it is. A task gets a secret of its own, which follows from the auditor's
 * key and authenticates kept work and nothing else: it signs no verdict, and no other task's work.
 *
 * @param folder for one file a unit
 * @param tool version of the program
 * @param every writes at most this often
 */
public record Keeping(Path folder, String tool, Duration every) {
    private static final String DOMAIN = "kept-secret";

    /** Where one unit's replay keeps its work. */
    public KeepPlace place(SigningKey key, Commitment commitment, AuditUnit unit, Optional<Sha256> challenge) {
        String file = VerdictFolder.name(commitment, unit, key.verifyingKey()) + ".kept";
        return new KeepPlace(folder.resolve(file), secret(key, commitment.digest(), unit, challenge), tool, every);
    }

    /** A deterministic signature that is never shown is a secret that only the key's owner can make again. */
    private static KeepSecret secret(
            SigningKey key, CommitmentDigest commitment, AuditUnit unit, Optional<Sha256> challenge) {
        byte[] asked = CanonicalEncoder.of(DOMAIN)
                .digest(commitment.digest())
                .text(unit.text())
                .digest(challenge)
                .toBytes();
        return new KeepSecret(Hashing.sha256(key.sign(asked)));
    }
}
