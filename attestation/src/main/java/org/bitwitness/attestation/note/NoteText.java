package org.bitwitness.attestation.note;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.protocol.Excerpt;

/** The one spelling of the small texts in notes: numbers, base64, key names. */
public final class NoteText {
    /** Decimal digits of 2^63 − 1. */
    private static final int MAX_DECIMAL_DIGITS = 19;

    private NoteText() {}

    /**
     * Reads standard base64 with padding; any other spelling of the same bytes is refused.
     *
     * @return empty if {@code text} is not the one spelling
     */
    public static Optional<byte[]> base64(String text) {
        try {
            byte[] bytes = Base64.getDecoder().decode(text);
            return Base64.getEncoder().encodeToString(bytes).equals(text) ? Optional.of(bytes) : Optional.empty();
        } catch (IllegalArgumentException notBase64) {
            return Optional.empty();
        }
    }

    /**
     * Reads a decimal number in [0, 2^63): ASCII digits, no sign, no leading zero.
     *
     * @param what names the number in the error
     * @throws AttestationException if it is written in another way or too large
     */
    public static long decimal(String text, String what) throws AttestationException {
        boolean digits = !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
        boolean canonical =
                digits && text.length() <= MAX_DECIMAL_DIGITS && (text.length() == 1 || text.charAt(0) != '0');
        if (canonical) {
            try {
                return Long.parseLong(text);
            } catch (NumberFormatException tooLarge) {
                canonical = false;
            }
        }
        throw AttestationException.malformed(
                "%s should be a decimal number below 2^63 without sign or leading zeros, is \"%s\""
                        .formatted(what, Excerpt.of(text)));
    }

    /** True for a name that may stand in a signature line: not empty, no Unicode space, nothing invisible, no plus. */
    public static boolean isKeyName(String name) {
        return !name.isEmpty()
                && name.length() <= 255
                && name.codePoints().noneMatch(c -> c == '+' || isSpace(c) || isInvisible(c));
    }

    private static boolean isSpace(int c) {
        return Character.isWhitespace(c) || Character.isSpaceChar(c);
    }

    /** Controls, format characters such as those that turn the direction of text, and what Unicode says to show as nothing. */
    public static boolean isInvisible(int c) {
        return Character.isISOControl(c)
                || Character.getType(c) == Character.FORMAT
                || Character.getType(c) == Character.SURROGATE
                || Character.getType(c) == Character.LINE_SEPARATOR
                || Character.getType(c) == Character.PARAGRAPH_SEPARATOR
                || "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0".indexOf(c) >= 0
                || (c >= 0x180b && c <= 0x180f)
                || (c >= 0xfe00 && c <= 0xfe0f)
                || (c >= 0xe0000 && c <= 0xe0fff);
    }

    /**
     * Decodes UTF-8 without repairing it.
     *
     * @throws AttestationException if the bytes are not UTF-8
     */
    public static String utf8(byte[] bytes, String what) throws AttestationException {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new AttestationException(
                    AttestationException.Kind.MALFORMED, what + " should be UTF-8 text, has bytes that are not", e);
        }
    }

    static String keyIdText(int keyId) {
        return HexFormat.of().toHexDigits(keyId);
    }
}
