package org.bitwitness.attestation.note;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.Objects;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.protocol.Excerpt;

/**
 * One signature line of a note: who, which key, and the bytes, not yet verified.
 *
 * <pre>— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=</pre>
 */
public final class NoteSignature {
    static final String DASH = "\u2014 ";

    private final String name;
    private final int keyId;
    private final byte[] bytes;

    public NoteSignature(String name, int keyId, byte[] bytes) {
        if (!NoteText.isKeyName(name) || bytes.length == 0) {
            throw new IllegalArgumentException(
                    "a signature needs a key name and bytes, got \"" + name + "\" with " + bytes.length + " bytes");
        }
        this.name = name;
        this.keyId = keyId;
        this.bytes = bytes.clone();
    }

    /**
     * Reads one line, without its newline.
     *
     * @throws AttestationException if it is not {@code — name base64(keyId ‖ signature)}
     */
    public static NoteSignature parse(String line) throws AttestationException {
        if (!line.startsWith(DASH)) {
            throw malformed(line);
        }
        String rest = line.substring(DASH.length());
        int space = rest.indexOf(' ');
        if (space < 0 || !NoteText.isKeyName(rest.substring(0, space))) {
            throw malformed(line);
        }
        byte[] blob = NoteText.base64(rest.substring(space + 1))
                .filter(b -> b.length > Integer.BYTES)
                .orElseThrow(() -> malformed(line));
        ByteBuffer in = ByteBuffer.wrap(blob);
        int keyId = in.getInt();
        return new NoteSignature(rest.substring(0, space), keyId, Arrays.copyOfRange(blob, Integer.BYTES, blob.length));
    }

    private static AttestationException malformed(String line) {
        return AttestationException.malformed(
                "a signature line is \"\u2014 name base64(keyId4 \u2016 signature)\", got \"" + Excerpt.of(line)
                        + "\"");
    }

    public String name() {
        return name;
    }

    public int keyId() {
        return keyId;
    }

    /** Everything after the key id, a copy. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** The line without its newline; {@link #parse} reads it back. */
    public String line() {
        byte[] blob = ByteBuffer.allocate(Integer.BYTES + bytes.length)
                .putInt(keyId)
                .put(bytes)
                .array();
        return DASH + name + " " + Base64.getEncoder().encodeToString(blob);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NoteSignature that
                && keyId == that.keyId
                && name.equals(that.name)
                && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, keyId, Arrays.hashCode(bytes));
    }

    @Override
    public String toString() {
        return line();
    }
}
