package org.bitwitness.replayer;

import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.bitwitness.protocol.Sha256;

/**
 * What tells kept work of one's own from a forgery: whoever can write the files, but does not have this, makes nothing
 * that is believed. Never printed.
 */
public record KeepSecret(Sha256 value) {
    private static final String ALGORITHM = "HmacSHA256";

    /** HMAC-SHA256 over {@code bytes}. */
    byte[] authenticate(byte[] bytes) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(value.bytes(), ALGORITHM));
            return mac.doFinal(bytes);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, e);
        }
    }

    @Override
    public String toString() {
        return "a secret";
    }
}
