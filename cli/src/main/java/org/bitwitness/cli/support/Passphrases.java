package org.bitwitness.cli.support;

import java.io.Console;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.keys.Passphrase;

/** Passphrases of key files: the first line of the file in BITWITNESS_PASSPHRASE_FILE, else the terminal. */
public final class Passphrases {
    private static final String VARIABLE = "BITWITNESS_PASSPHRASE_FILE";
    private static final int MAX_BYTES = 4096;

    private Passphrases() {}

    /** To open a key. */
    public static Passphrase ask() {
        return from(Optional.ofNullable(System.getenv(VARIABLE)).map(Path::of));
    }

    static Passphrase from(Optional<Path> file) {
        return key -> {
            if (file.isPresent()) {
                return read(file.get());
            }
            Optional<Console> terminal = terminal();
            if (terminal.isEmpty()) {
                return Passphrase.NONE.of(key);
            }
            return Optional.ofNullable(terminal.get().readPassword("passphrase of %s: ", key))
                    .orElseGet(() -> new char[0]);
        };
    }

    /** To protect a new key; on a terminal it is asked for twice. */
    public static char[] choose(Path key) throws AttestationException, CommandFailure {
        return choose(key, Optional.ofNullable(System.getenv(VARIABLE)).map(Path::of));
    }

    static char[] choose(Path key, Optional<Path> file) throws AttestationException, CommandFailure {
        boolean typed = file.isEmpty();
        if (typed && terminal().isEmpty()) {
            throw CommandFailure.usage(
                    "no passphrase to protect the new key " + key + " with: name a file that holds one in " + VARIABLE
                            + ", or run the command on a terminal. Nothing was written");
        }
        char[] chosen = from(file).of(key);
        if (chosen.length == 0) {
            throw CommandFailure.usage("an empty passphrase protects nothing: choose another");
        }
        if (typed && !java.util.Arrays.equals(chosen, from(file).of(key))) {
            throw CommandFailure.usage("the two passphrases differ: nothing was written");
        }
        return chosen;
    }

    private static Optional<Console> terminal() {
        return Optional.ofNullable(System.console()).filter(Console::isTerminal);
    }

    private static char[] read(Path file) throws AttestationException {
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw AttestationException.environment(file + " is too large for a passphrase");
            }
            return Files.readString(file, StandardCharsets.UTF_8)
                    .lines()
                    .findFirst()
                    .orElse("")
                    .toCharArray();
        } catch (IOException e) {
            throw new AttestationException(
                    AttestationException.Kind.ENVIRONMENT, "cannot read the passphrase file " + file + ": " + e, e);
        }
    }
}
