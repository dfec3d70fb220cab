package org.bitwitness.attestation.keys;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.bitwitness.attestation.AttestationException;

/**
 * PEM in one spelling: header, base64 in lines of 64 columns, footer, each line ended by {@code \n}.
 *
 * <pre>
 * -----BEGIN PUBLIC KEY-----
 * MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYP7UuiVanTHJYet0xjVtaMBJuJI7
 * Yfps5mliLmD5+2Tsmbw6l2MrkrmfiRj7CExJOWxkB4Mj30dDHdEv2QN8jA==
 * -----END PUBLIC KEY-----
 * </pre>
 *
 * <p>One spelling, because a bundle names its key by the SHA-256 of this text.
 */
public final class Pem {
    /** Label of a PKCS#8 private key. */
    public static final String PRIVATE_KEY = "PRIVATE KEY";

    /** Label of an SPKI public key. */
    public static final String PUBLIC_KEY = "PUBLIC KEY";

    /** Larger than any key here; a limit before anything is decoded. */
    public static final int MAX_CHARACTERS = 4096;

    private static final int COLUMNS = 64;

    private Pem() {}

    /** Writes {@code der} under {@code label}. */
    public static String encode(String label, byte[] der) {
        String body = Base64.getMimeEncoder(COLUMNS, new byte[] {'\n'}).encodeToString(der);
        return "-----BEGIN " + label + "-----\n" + body + "\n-----END " + label + "-----\n";
    }

    /**
     * Reads what {@link #encode} writes, and nothing else.
     *
     * @throws AttestationException refused: another label, another spelling, text around the block
     */
    public static byte[] decode(String label, String text) throws AttestationException {
        if (text.length() > MAX_CHARACTERS) {
            throw AttestationException.malformed(
                    "a PEM %s has at most %d characters, got %d".formatted(label, MAX_CHARACTERS, text.length()));
        }
        refuseOtherLabel(label, text);
        String begin = "-----BEGIN " + label + "-----\n";
        String end = "\n-----END " + label + "-----\n";
        if (!text.startsWith(begin) || !text.endsWith(end) || text.length() < begin.length() + end.length()) {
            throw AttestationException.malformed(
                    "expected exactly one PEM block \"%s\" with \\n line ends and nothing around it".formatted(label));
        }
        byte[] der;
        try {
            String body = text.substring(begin.length(), text.length() - end.length());
            der = Base64.getMimeDecoder().decode(body.getBytes(StandardCharsets.US_ASCII));
        } catch (IllegalArgumentException e) {
            throw AttestationException.malformed("PEM %s: not base64: %s".formatted(label, e.getMessage()));
        }
        // The MIME decoder skips what it does not know; encoding again and comparing leaves one spelling.
        if (!encode(label, der).equals(text)) {
            throw AttestationException.malformed(
                    "PEM %s: expected lines of 64 base64 columns ended by \\n; write it again with openssl pkey"
                            .formatted(label));
        }
        return der;
    }

    private static void refuseOtherLabel(String label, String text) throws AttestationException {
        if (label.equals(PUBLIC_KEY) && text.contains(PRIVATE_KEY + "-----")) {
            throw AttestationException.malformed(
                    "expected a public key, found a PRIVATE key: use the public.pem beside it,"
                            + " and if this file was shared treat the key as stolen");
        }
        if (label.equals(PRIVATE_KEY) && text.contains("-----BEGIN ENCRYPTED PRIVATE KEY-----")) {
            throw AttestationException.malformed(
                    "this private key is encrypted with a passphrase, and none was asked for:"
                            + " openssl pkey -in FILE -out PLAIN decrypts it");
        }
        if (label.equals(PRIVATE_KEY) && text.contains("-----BEGIN EC PRIVATE KEY-----")) {
            throw AttestationException.malformed(
                    "expected PKCS#8 (BEGIN PRIVATE KEY), found SEC 1 (BEGIN EC PRIVATE KEY):"
                            + " openssl pkcs8 -topk8 -nocrypt -in FILE converts it");
        }
    }
}
