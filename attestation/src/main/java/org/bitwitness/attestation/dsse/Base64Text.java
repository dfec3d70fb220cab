package org.bitwitness.attestation.dsse;

import java.util.Base64;
import org.bitwitness.attestation.AttestationException;

/** Base64 as DSSE and Sigstore use it: padded, standard alphabet when written, either alphabet when read. */
public final class Base64Text {
    private Base64Text() {}

    /** Standard alphabet, padded. */
    public static String encode(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    /**
     * Reads the standard or the URL-safe alphabet, padded, without line ends. The text must be the one that encoding
     * the result gives, so left-over bits are zero and the alphabets are not mixed.
     *
     * @param what a name for messages
     */
    public static byte[] decode(String text, String what) throws AttestationException {
        boolean urlSafe = text.indexOf('-') >= 0 || text.indexOf('_') >= 0;
        try {
            byte[] bytes = (urlSafe ? Base64.getUrlDecoder() : Base64.getDecoder()).decode(text);
            String again = urlSafe ? Base64.getUrlEncoder().encodeToString(bytes) : encode(bytes);
            if (again.equals(text)) {
                return bytes;
            }
        } catch (IllegalArgumentException e) {
            throw new AttestationException(
                    AttestationException.Kind.MALFORMED, "%s: not base64: %s".formatted(what, e.getMessage()), e);
        }
        throw AttestationException.malformed(what + ": expected padded base64 in its one spelling");
    }
}
