package org.bitwitness.attestation.witness;

import java.net.URI;
import java.util.List;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.http.HttpClients;
import org.bitwitness.attestation.log.CheckpointCosigner.ConsistencyProofs;
import org.bitwitness.attestation.note.Checkpoint;
import org.bitwitness.attestation.note.NoteSignature;
import org.bitwitness.attestation.note.NoteText;
import org.bitwitness.attestation.note.SignedNote;
import org.bitwitness.attestation.trust.WitnessIdentity;
import org.bitwitness.attestation.trust.WitnessPolicy;
import org.bitwitness.attestation.vrf.VrfProof;
import org.bitwitness.protocol.Excerpt;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.format.JsonFields;
import org.bitwitness.protocol.format.StrictJson;

/** Talks to one witness. Remembers how far it is, to send the right proof at once. */
public final class WitnessClient {
    private static final int MAX_ANSWER_BYTES = 1 << 16;
    private static final int TRIES = 3;

    private final WitnessIdentity witness;
    private final URI base;
    private long lastSize;

    /** @param base its submission prefix, for example {@code http://127.0.0.1:8081} */
    public WitnessClient(WitnessIdentity witness, URI base) {
        this.witness = witness;
        this.base = base;
    }

    /**
     * Asks the witness at a URL which one of a policy it is.
     *
     * @throws AttestationException if it cannot be reached, or the policy does not list its key
     */
    public static WitnessClient identify(URI base, WitnessPolicy policy) throws AttestationException {
        HttpClients.Answer answer = HttpClients.get(HttpClients.resolve(base, ""), MAX_ANSWER_BYTES);
        String text = NoteText.utf8(answer.body(), "the answer of " + base).strip();
        for (WitnessIdentity witness : policy.witnesses()) {
            if (answer.status() == 200 && text.equals("witness " + witness.key().vkey())) {
                return new WitnessClient(witness, base);
            }
        }
        throw AttestationException.environment("%s says \"%s\", which is no witness of the policy; its witnesses are %s"
                .formatted(
                        base,
                        Excerpt.of(text),
                        policy.witnesses().stream().map(w -> w.key().vkey()).toList()));
    }

    public WitnessIdentity witness() {
        return witness;
    }

    /**
     * Asks for a cosignature.
     *
     * @param note a checkpoint that the log signed
     * @throws AttestationException environment, if the witness cannot be reached; refused, if it holds a later or
     *     another tree of this log, or answers with a signature that does not verify
     */
    public synchronized List<NoteSignature> cosign(SignedNote note, ConsistencyProofs proofs)
            throws AttestationException {
        Checkpoint checkpoint = Checkpoint.parse(note.text());
        for (int attempt = 0; attempt < TRIES; attempt++) {
            long from = Math.min(lastSize, checkpoint.size());
            AddCheckpointRequest request =
                    new AddCheckpointRequest(from, proofs.from(from).path(), note);
            HttpClients.Answer answer = HttpClients.post(
                    HttpClients.resolve(base, WitnessServer.ADD_CHECKPOINT.substring(1)),
                    "text/plain; charset=utf-8",
                    request.toBytes(),
                    MAX_ANSWER_BYTES);
            if (answer.status() == 200) {
                lastSize = checkpoint.size();
                return ownSignatures(note, answer);
            }
            if (answer.status() != 409) {
                throw unexpected(answer);
            }
            long size = NoteText.decimal(text(answer).strip(), "the size that witness " + witness.name() + " answers");
            if (size > checkpoint.size() || size == from) {
                throw AttestationException.refused(
                        "witness %s has cosigned a %s tree of %s with %d entries, this log has %d: the folder is an old copy or the log was forked; do not go on with it"
                                .formatted(
                                        witness.name(),
                                        size > checkpoint.size() ? "later" : "different",
                                        checkpoint.origin(),
                                        size,
                                        checkpoint.size()));
            }
            lastSize = size;
        }
        throw AttestationException.environment("witness " + witness.name() + " answers another size each time");
    }

    /**
     * Asks for the beacon of a tree. The proof is not verified here.
     *
     * @throws AttestationException if the witness does not answer or says why it does not
     */
    public VrfProof beacon(BeaconRequest request) throws AttestationException {
        HttpClients.Answer answer = HttpClients.post(
                HttpClients.resolve(base, WitnessServer.BEACON.substring(1)),
                "application/json",
                request.toBytes(),
                MAX_ANSWER_BYTES);
        if (answer.status() != 200) {
            throw unexpected(answer);
        }
        try {
            JsonFields fields = JsonFields.of("beacon", StrictJson.object(answer.body(), "beacon"));
            VrfProof proof = VrfProof.ofHex(fields.text("proof"));
            fields.end();
            return proof;
        } catch (ProtocolException e) {
            throw AttestationException.of(e);
        }
    }

    private List<NoteSignature> ownSignatures(SignedNote note, HttpClients.Answer answer) throws AttestationException {
        SignedNote answered = new SignedNote(note.text(), SignedNote.signatureLines(text(answer)));
        List<NoteSignature> own = answered.verifiedBy(witness.key());
        if (own.isEmpty()) {
            throw AttestationException.refused("the witness at %s does not sign as %s: check its URL and key"
                    .formatted(base, witness.key().vkey()));
        }
        return own;
    }

    private AttestationException unexpected(HttpClients.Answer answer) {
        AttestationException.Kind kind =
                answer.status() >= 500 ? AttestationException.Kind.ENVIRONMENT : AttestationException.Kind.REFUSED;
        return new AttestationException(
                kind,
                "witness %s at %s answers %d: %s".formatted(witness.name(), base, answer.status(), answer.shown()));
    }

    private String text(HttpClients.Answer answer) throws AttestationException {
        return NoteText.utf8(answer.body(), "the answer of witness " + witness.name());
    }
}
