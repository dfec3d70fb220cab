package org.bitwitness.attestation.trust;

import java.net.URI;
import java.util.Optional;
import org.bitwitness.attestation.note.NoteKeyType;
import org.bitwitness.attestation.note.NoteVerifier;

/**
 * A witness that a policy knows.
 *
 * @param name local to the policy file; used in groups and file names
 * @param key its name is the one in signature lines
 * @param url where {@code /add-checkpoint} is found; not needed to verify
 */
public record WitnessIdentity(String name, NoteVerifier key, Optional<URI> url) {
    public WitnessIdentity {
        if (key.type() != NoteKeyType.COSIGNATURE_V1) {
            throw new IllegalArgumentException("a witness signs with a key of type COSIGNATURE_V1, not " + key.type());
        }
    }
}
