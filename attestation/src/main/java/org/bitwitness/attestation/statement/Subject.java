package org.bitwitness.attestation.statement;

import java.util.Optional;
import org.bitwitness.protocol.Sha256;

/**
 * What a statement is about. Only the digest counts when subjects are matched; the name is for people.
 *
 * @param name empty where the writer gave none
 * @param sha256 digest of the artifact
 */
public record Subject(Optional<String> name, Sha256 sha256) {
    /** Characters of a name at most. */
    public static final int MAX_NAME_CHARACTERS = 4096;

    public Subject {
        if (name.isPresent() && name.get().length() > MAX_NAME_CHARACTERS) {
            throw new IllegalArgumentException("a subject's name has at most %d characters, got %d"
                    .formatted(MAX_NAME_CHARACTERS, name.get().length()));
        }
    }

    public static Subject of(String name, Sha256 sha256) {
        return new Subject(Optional.of(name), sha256);
    }
}
