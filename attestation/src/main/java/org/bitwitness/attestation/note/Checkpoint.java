package org.bitwitness.attestation.note;

import java.util.Base64;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.protocol.Excerpt;
import org.bitwitness.protocol.Sha256;

/**
 * What a log says about its tree: the text of a signed note. Exactly three lines; extension lines are refused, because
 * no witness vouches for them.
 *
 * <pre>
 * example.com/behind-the-sofa
 * 20852163
 * CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=
 * </pre>
 *
 * @param origin which log
 * @param size number of entries, not negative
 * @param root RFC 9162 root of the first {@code size} entries
 * @see <a href="https://c2sp.org/tlog-checkpoint">c2sp.org/tlog-checkpoint</a>
 */
public record Checkpoint(String origin, long size, Sha256 root) {
    public Checkpoint {
        if (!NoteText.isKeyName(origin) || size < 0) {
            throw new IllegalArgumentException(
                    "a checkpoint needs an origin without spaces and a size >= 0, got \"" + origin + "\", " + size);
        }
    }

    /**
     * Reads a note's text.
     *
     * @throws AttestationException if it is anything but the three lines, each in its one spelling
     */
    public static Checkpoint parse(String text) throws AttestationException {
        String[] lines = text.split("\n", -1);
        if (lines.length != 4 || !lines[3].isEmpty()) {
            throw AttestationException.malformed(
                    "a checkpoint has exactly three lines (origin, size, root) and no extension lines, this one has "
                            + (lines.length - 1));
        }
        if (!NoteText.isKeyName(lines[0])) {
            throw AttestationException.malformed("a checkpoint's origin has 1 to 255 characters and no spaces, got \""
                    + Excerpt.of(lines[0]) + "\"");
        }
        long size = NoteText.decimal(lines[1], "the size in a checkpoint of " + lines[0]);
        byte[] root = NoteText.base64(lines[2])
                .filter(bytes -> bytes.length == Sha256.BYTES)
                .orElseThrow(() -> AttestationException.malformed(
                        "a checkpoint's third line is base64 of a 32-byte root, got \"" + Excerpt.of(lines[2]) + "\""));
        return new Checkpoint(lines[0], size, Sha256.of(root));
    }

    /** The note text; {@link #parse} reads it back. */
    public String text() {
        return origin + "\n" + size + "\n" + Base64.getEncoder().encodeToString(root.bytes()) + "\n";
    }
}
