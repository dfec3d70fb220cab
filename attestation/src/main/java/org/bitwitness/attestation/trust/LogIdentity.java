package org.bitwitness.attestation.trust;

import java.net.URI;
import java.util.Optional;
import org.bitwitness.attestation.note.NoteKeyType;
import org.bitwitness.attestation.note.NoteVerifier;

/**
 * A log that a policy accepts.
 *
 * @param key its name is the log's origin
 * @param url where the log is read; not needed to verify
 */
public record LogIdentity(NoteVerifier key, Optional<URI> url) {
    public LogIdentity {
        if (key.type() != NoteKeyType.ED25519) {
            throw new IllegalArgumentException("a log signs with a key of type ED25519, not " + key.type());
        }
    }

    public String origin() {
        return key.name();
    }
}
