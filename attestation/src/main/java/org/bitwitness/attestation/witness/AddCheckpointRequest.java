package org.bitwitness.attestation.witness;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.note.NoteText;
import org.bitwitness.attestation.note.SignedNote;
import org.bitwitness.protocol.Excerpt;
import org.bitwitness.protocol.Sha256;

/**
 * Body of {@code POST /add-checkpoint}.
 *
 * <pre>
 * old 20852014
 * PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=
 *
 * example.com/behind-the-sofa
 * 20852163
 * …
 * </pre>
 *
 * @param oldSize the tree the proof starts from
 * @param proof consistency proof from it to the checkpoint, at most 63 hashes
 */
record AddCheckpointRequest(long oldSize, List<Sha256> proof, SignedNote checkpoint) {
    static final int MAX_BYTES = SignedNote.MAX_BYTES + (1 << 14);
    private static final int MAX_PROOF_LINES = 63;

    AddCheckpointRequest {
        proof = List.copyOf(proof);
    }

    static AddCheckpointRequest parse(byte[] body) throws AttestationException {
        String text = NoteText.utf8(body, "the request");
        int end = text.indexOf("\n\n");
        String[] lines = end < 0 ? new String[0] : text.substring(0, end).split("\n", -1);
        if (lines.length == 0 || !lines[0].startsWith("old ")) {
            throw AttestationException.malformed(
                    "a request is \"old N\", proof lines, a blank line and a checkpoint; this one is not");
        }
        if (lines.length - 1 > MAX_PROOF_LINES) {
            throw AttestationException.malformed(
                    "a consistency proof has at most %d lines, got %d".formatted(MAX_PROOF_LINES, lines.length - 1));
        }
        long oldSize = NoteText.decimal(lines[0].substring("old ".length()), "the old size");
        List<Sha256> proof = new ArrayList<>();
        for (int i = 1; i < lines.length; i++) {
            String line = lines[i];
            proof.add(NoteText.base64(line)
                    .filter(bytes -> bytes.length == Sha256.BYTES)
                    .map(Sha256::of)
                    .orElseThrow(() -> AttestationException.malformed(
                            "a proof line is base64 of 32 bytes, got \"" + Excerpt.of(line) + "\"")));
        }
        SignedNote note = SignedNote.parse(text.substring(end + 2).getBytes(StandardCharsets.UTF_8));
        return new AddCheckpointRequest(oldSize, proof, note);
    }

    byte[] toBytes() {
        StringBuilder out = new StringBuilder("old ").append(oldSize).append('\n');
        proof.forEach(hash ->
                out.append(Base64.getEncoder().encodeToString(hash.bytes())).append('\n'));
        return out.append('\n').append(checkpoint).toString().getBytes(StandardCharsets.UTF_8);
    }
}
