package org.bitwitness.attestation.keys;

import java.nio.file.Path;
import org.bitwitness.attestation.AttestationException;

/** Whoever knows the passphrase of an encrypted key file. Asked only when a file turns out to be encrypted. */
@FunctionalInterface
public interface Passphrase {
    /** Knows none. */
    Passphrase NONE = file -> {
        throw AttestationException.environment(
                file + " is encrypted: name a file that holds its passphrase in BITWITNESS_PASSPHRASE_FILE, or run the"
                        + " command on a terminal");
    };

    /** The passphrase of this file. */
    char[] of(Path file) throws AttestationException;
}
