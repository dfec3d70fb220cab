package org.bitwitness.attestation.log;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.note.Checkpoint;
import org.bitwitness.attestation.note.NoteText;
import org.bitwitness.attestation.note.SignedNote;
import org.bitwitness.attestation.trust.VerifiedCheckpoint;
import org.bitwitness.attestation.trust.WitnessPolicy;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.merkle.InclusionProof;

/**
 * A proof as a file of its own, {@code .tlog-proof}.
 *
 * <pre>
 * c2sp.org/tlog-proof@v1
 * extra ZW50cnk=
 * index 73894
 * gSKyXoYZUgZ6jduWYrkDOARinOMGJveXjgMkBTcdPlQ=
 *
 * example.com/fancylog
 * 109482
 * …
 * </pre>
 *
 * @param extra not covered by the proof; we put the entry's bytes here, and whoever uses them hashes them again
 * @param index of the entry
 * @param path siblings, lowest first
 * @param checkpoint verbatim
 * @see <a href="https://c2sp.org/tlog-proof">c2sp.org/tlog-proof</a>
 */
public record TlogProof(Optional<byte[]> extra, long index, List<Sha256> path, SignedNote checkpoint) {
    private static final String HEADER = "c2sp.org/tlog-proof@v1";
    private static final int MAX_BYTES = SignedNote.MAX_BYTES + (1 << 18);
    private static final int MAX_PATH = 63;

    public TlogProof {
        path = List.copyOf(path);
    }

    /** The proof of a receipt, with the leaf as extra data. */
    public static TlogProof of(LogReceipt receipt) {
        return new TlogProof(
                Optional.of(receipt.leaf()),
                receipt.index(),
                receipt.inclusion().path(),
                receipt.checkpoint());
    }

    /** Reads the text form. */
    public static TlogProof parse(byte[] bytes) throws AttestationException {
        if (bytes.length > MAX_BYTES) {
            throw AttestationException.malformed(
                    "a tlog-proof has at most %d bytes, this one has %d".formatted(MAX_BYTES, bytes.length));
        }
        String text = NoteText.utf8(bytes, "a tlog-proof");
        int end = text.indexOf("\n\n");
        String[] lines = end < 0 ? new String[0] : text.substring(0, end).split("\n", -1);
        if (lines.length < 2 || !lines[0].equals(HEADER)) {
            throw AttestationException.malformed("a tlog-proof starts with \"" + HEADER
                    + "\", an index line and a blank line before the checkpoint; this one does not");
        }
        int at = 1;
        Optional<byte[]> extra = Optional.empty();
        if (lines[at].startsWith("extra ")) {
            extra = Optional.of(NoteText.base64(lines[at++].substring("extra ".length()))
                    .orElseThrow(() -> AttestationException.malformed("a tlog-proof's extra line should be base64")));
        }
        if (at == lines.length || !lines[at].startsWith("index ")) {
            throw AttestationException.malformed("a tlog-proof needs a line \"index N\" before the hashes");
        }
        long index = NoteText.decimal(lines[at++].substring("index ".length()), "a tlog-proof's index");
        if (lines.length - at > MAX_PATH) {
            throw AttestationException.malformed("a tlog-proof has at most " + MAX_PATH + " hashes");
        }
        List<Sha256> path = new ArrayList<>();
        for (; at < lines.length; at++) {
            path.add(LogReceipt.hash(lines[at], "a tlog-proof's hash"));
        }
        SignedNote note = SignedNote.parse(text.substring(end + 2).getBytes(StandardCharsets.UTF_8));
        return new TlogProof(extra, index, path, note);
    }

    /**
     * Checks that {@code leaf} is the entry this proof is about.
     *
     * @throws AttestationException if the checkpoint does not meet the policy or the proof does not hold
     */
    public VerifiedCheckpoint verify(byte[] leaf, WitnessPolicy policy) throws AttestationException {
        long size = Checkpoint.parse(checkpoint.text()).size();
        if (index >= size) {
            throw AttestationException.refused(
                    "the proof is for index %d, its checkpoint has %d entries: the entry came later; get a newer checkpoint and prove against that"
                            .formatted(index, size));
        }
        return new LogReceipt(new InclusionProof(index, size, path), checkpoint, leaf).verify(policy);
    }

    /** The text form; {@link #parse} reads it back. */
    public String text() {
        StringBuilder out = new StringBuilder(HEADER).append('\n');
        extra.ifPresent(bytes -> out.append("extra ")
                .append(Base64.getEncoder().encodeToString(bytes))
                .append('\n'));
        out.append("index ").append(index).append('\n');
        path.forEach(hash ->
                out.append(Base64.getEncoder().encodeToString(hash.bytes())).append('\n'));
        return out.append('\n').append(checkpoint).toString();
    }
}
