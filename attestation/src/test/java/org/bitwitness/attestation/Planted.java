package org.bitwitness.attestation;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.bitwitness.attestation.keys.SigningKey;
import org.junit.jupiter.api.function.Executable;

/** Keys that are the same in every run, and the one way to say "this fault is refused, and the message names it". */
public final class Planted {
    private Planted() {}

    /** A key whose scalar is this byte 32 times; 1 to 254 give different keys. */
    public static SigningKey key(int repeatedByte) {
        byte[] scalar = new byte[32];
        Arrays.fill(scalar, (byte) repeatedByte);
        try {
            return SigningKey.ofScalar(scalar);
        } catch (AttestationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Asserts that {@code action} is refused with a message that holds {@code words}. */
    public static AttestationException assertRefused(String words, Executable action) {
        AttestationException e = assertThrows(AttestationException.class, action, "nothing was refused: " + words);
        assertTrue(e.getMessage().contains(words), () -> "expected \"" + words + "\" in: " + e.getMessage());
        return e;
    }
}
