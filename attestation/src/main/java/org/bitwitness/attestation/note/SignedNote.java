package org.bitwitness.attestation.note;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import org.bitwitness.attestation.AttestationException;

/**
 * A text and the signatures under it.
 *
 * <pre>
 * This is an example message.
 *
 * — example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=
 * </pre>
 *
 * @param text ends in a newline; the only part that signatures cover
 * @param signatures in the order of their lines, unverified
 */
public record SignedNote(String text, List<NoteSignature> signatures) {
    /** A note is small: a checkpoint and its cosignatures. The format asks readers to take 16 signatures or more. */
    public static final int MAX_BYTES = 1 << 20;

    public static final int MAX_SIGNATURES = 100;

    public SignedNote {
        if (!text.endsWith("\n") || text.codePoints().anyMatch(c -> c != '\n' && c < ' ')) {
            throw new IllegalArgumentException("a note's text ends in a newline and has no other control characters");
        }
        signatures = List.copyOf(signatures);
    }

    /**
     * Reads a note.
     *
     * @throws AttestationException if it is too large, not UTF-8, or its signature lines are not well formed
     */
    public static SignedNote parse(byte[] bytes) throws AttestationException {
        if (bytes.length > MAX_BYTES) {
            throw AttestationException.malformed(
                    "a note has at most %d bytes, this one has %d".formatted(MAX_BYTES, bytes.length));
        }
        String whole = NoteText.utf8(bytes, "a note");
        int split = whole.lastIndexOf("\n\n");
        if (split < 0 || !whole.endsWith("\n")) {
            throw AttestationException.malformed(
                    "a note is text, a blank line and signature lines that each end in a newline; this one has no blank"
                            + " line or ends within a line");
        }
        String text = whole.substring(0, split + 1);
        if (whole.codePoints().anyMatch(c -> c != '\n' && c < ' ')) {
            throw AttestationException.malformed("a note has no control characters other than newline, this one has");
        }
        return new SignedNote(text, signatureLines(whole.substring(split + 2)));
    }

    /** Reads signature lines that stand alone, as a witness answers them. May be empty. */
    public static List<NoteSignature> signatureLines(String lines) throws AttestationException {
        List<NoteSignature> signatures = new ArrayList<>();
        for (String line : lines.split("\n", -1)) {
            if (line.isEmpty() && lines.endsWith("\n") && !signatures.isEmpty()) {
                break;
            }
            if (signatures.size() == MAX_SIGNATURES) {
                throw AttestationException.malformed("a note has at most " + MAX_SIGNATURES + " signatures");
            }
            signatures.add(NoteSignature.parse(line));
        }
        return signatures;
    }

    /** The whole note; {@link #parse} reads it back. */
    public byte[] toBytes() {
        return toString().getBytes(StandardCharsets.UTF_8);
    }

    /** This note with more signatures under it; lines that are already there are not repeated. */
    public SignedNote with(Collection<NoteSignature> more) {
        SequencedSet<NoteSignature> all = new LinkedHashSet<>(signatures);
        all.addAll(more);
        return new SignedNote(text, List.copyOf(all));
    }

    /**
     * The signatures that {@code key} made, each verified. Lines of other keys are ignored.
     *
     * @return empty if the key did not sign
     * @throws AttestationException if a line names this key and its signature does not verify: such a note is refused
     *     as a whole
     */
    public List<NoteSignature> verifiedBy(NoteVerifier key) throws AttestationException {
        List<NoteSignature> verified = new ArrayList<>();
        for (NoteSignature signature : signatures) {
            if (!key.claims(signature)) {
                continue;
            }
            if (!key.verifies(text, signature)) {
                throw AttestationException.refused("the signature of \"" + key.name() + "\" (key id "
                        + NoteText.keyIdText(key.keyId()) + ") does not verify over this note's text: the text was"
                        + " changed, or another key signed");
            }
            verified.add(signature);
        }
        return verified;
    }

    @Override
    public String toString() {
        StringBuilder out = new StringBuilder(text).append('\n');
        signatures.forEach(s -> out.append(s.line()).append('\n'));
        return out.toString();
    }
}
