package org.bitwitness.replayer;

import java.util.Optional;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.bytes.CanonicalEncoder;

/**
 * Who replays, for which challenge. A replay proof is salted with it, so that an auditor can hand a proof neither to
 * another auditor nor on to the next challenge.
 *
 * @param auditorSpki the auditor's public key, DER; absent when somebody replays for himself
 * @param challenge digest of the logged challenge; absent likewise
 */
public record ReplaySalt(Optional<PublicKeyBytes> auditorSpki, Optional<Sha256> challenge) {
    /** Nobody's: for a replay that no verdict is made of. */
    public static final ReplaySalt NONE = new ReplaySalt(Optional.empty(), Optional.empty());

    /** {@code H(replay-salt, auditorSPKI, challengeDigest, unit)}. */
    Sha256 of(AuditUnit unit) {
        CanonicalEncoder encoder = CanonicalEncoder.of("replay-salt");
        auditorSpki.ifPresentOrElse(key -> encoder.bytes(key.der()), encoder::absent);
        return encoder.digest(challenge).text(unit.text()).hash();
    }

    /** A public key as the bytes of its SubjectPublicKeyInfo. Immutable. */
    public static final class PublicKeyBytes {
        private static final int MAX_BYTES = 4096;

        private final byte[] der;

        public PublicKeyBytes(byte[] der) {
            if (der.length == 0 || der.length > MAX_BYTES) {
                throw new IllegalArgumentException(
                        "a public key has 1 to %d bytes, got %d".formatted(MAX_BYTES, der.length));
            }
            this.der = der.clone();
        }

        byte[] der() {
            return der.clone();
        }
    }
}
