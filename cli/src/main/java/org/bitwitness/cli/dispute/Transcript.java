package org.bitwitness.cli.dispute;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.bundle.SigstoreBundle;
import org.bitwitness.attestation.dsse.DsseEnvelope;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.attestation.statement.TrainingCommitmentStatement;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.replayer.dispute.DisputeException;
import org.bitwitness.replayer.dispute.DisputeGame;
import org.bitwitness.replayer.dispute.DisputedUnit;
import org.bitwitness.replayer.dispute.Message;
import org.bitwitness.replayer.dispute.Move;
import org.bitwitness.replayer.dispute.Party;
import org.bitwitness.replayer.dispute.Premise;

/** A dispute read from its folder, every signature, hash and rule checked again. */
final class Transcript {
    /** The envelopes' payload type: a signature under it is never one for anything else. */
    static final String PAYLOAD_TYPE = "application/vnd.bitwitness.dispute.v1";

    /** A message and who signed it. */
    record Signed(Message message, Party signer) {}

    private final DisputeFolder folder;
    private final DisputeGame game;
    private final Map<Party, VerifyingKey> keys;
    private final List<Signed> messages = new ArrayList<>();
    private final boolean commitmentSigned;

    private Transcript(
            DisputeFolder folder, DisputeGame game, Map<Party, VerifyingKey> keys, boolean commitmentSigned) {
        this.folder = folder;
        this.game = game;
        this.keys = keys;
        this.commitmentSigned = commitmentSigned;
    }

    /**
     * Reads a dispute.
     *
     * @throws DisputeException naming the first message that counts for nothing, with what was expected
     */
    static Transcript read(DisputeFolder folder) throws IOException, DisputeException {
        List<byte[]> envelopes = folder.envelopes();
        DsseEnvelope first = envelope(envelopes.getFirst(), 0);
        Message opening = message(first, 0);
        if (!(opening.move() instanceof Move.Open open)) {
            throw new DisputeException(DisputeFolder.name(0) + ": a dispute begins with an open message");
        }
        DisputeFolder.Pieces pieces = folder.pieces();
        Premise premise = Premise.of(open, pieces.open(), pieces.commitment(), pieces.descriptor(), pieces.step());
        Map<Party, VerifyingKey> keys = keys(open, premise);
        Transcript transcript = new Transcript(
                folder,
                new DisputeGame(DisputedUnit.of(premise, open.unit()), open),
                keys,
                signed(pieces, premise, Objects.requireNonNull(keys.get(Party.TRAINER))));
        transcript.hearFirst(first, opening);
        for (int i = 1; i < envelopes.size(); i++) {
            transcript.hear(envelope(envelopes.get(i), i), i);
        }
        return transcript;
    }

    private static DsseEnvelope envelope(byte[] bytes, long sequence) throws DisputeException {
        try {
            DsseEnvelope envelope = DsseEnvelope.parse(bytes);
            envelope.onlySignature();
            if (!Arrays.equals(envelope.pae(), DsseEnvelope.pae(PAYLOAD_TYPE, envelope.unverifiedPayload()))) {
                throw new DisputeException(
                        "%s: the payload type should be %s".formatted(DisputeFolder.name(sequence), PAYLOAD_TYPE));
            }
            if (!Arrays.equals(envelope.toBytes(), bytes)) {
                throw new DisputeException(DisputeFolder.name(sequence)
                        + ": not the one spelling of the envelope: keys sorted, no spaces");
            }
            return envelope;
        } catch (AttestationException e) {
            throw new DisputeException(DisputeFolder.name(sequence) + ": " + e.getMessage(), e);
        }
    }

    private static Message message(DsseEnvelope envelope, long sequence) throws DisputeException {
        try {
            return Message.read(envelope.unverifiedPayload());
        } catch (DisputeException e) {
            throw new DisputeException(DisputeFolder.name(sequence) + ": " + e.getMessage(), e);
        }
    }

    private static Map<Party, VerifyingKey> keys(Move.Open open, Premise premise) throws DisputeException {
        Map<Party, VerifyingKey> keys = new EnumMap<>(Party.class);
        keys.put(Party.AUDITOR, key(Party.AUDITOR, open.auditorKeyHex()));
        keys.put(Party.REFEREE, key(Party.REFEREE, open.refereeKeyHex()));
        keys.put(Party.TRAINER, key(Party.TRAINER, premise.trainerKeyHex()));
        if (keys.values().stream().distinct().count() != keys.size()) {
            throw new DisputeException("auditor, trainer and referee need three different keys");
        }
        return keys;
    }

    private static VerifyingKey key(Party party, String hex) throws DisputeException {
        try {
            return VerifyingKey.ofSpki(HexFormat.of().parseHex(hex));
        } catch (AttestationException e) {
            throw new DisputeException("the %s's key: %s".formatted(party, e.getMessage()), e);
        }
    }

    /** Whether the trainer's signature under the commitment is in the premise; one that is there must hold. */
    private static boolean signed(DisputeFolder.Pieces pieces, Premise premise, VerifyingKey trainer)
            throws DisputeException {
        if (pieces.bundle().isEmpty()) {
            return false;
        }
        try {
            TrainingCommitmentStatement statement = TrainingCommitmentStatement.parse(
                    SigstoreBundle.parse(pieces.bundle().get()).verifySignature(trainer));
            if (!statement.commitment().digest().equals(premise.commitment().digest())) {
                throw new DisputeException(
                        "premise: the trainer's signature is under commitment %s, the dispute about %s"
                                .formatted(
                                        statement.commitment().digest(),
                                        premise.commitment().digest()));
            }
            return true;
        } catch (AttestationException e) {
            throw new DisputeException("premise: the signature under the commitment: " + e.getMessage(), e);
        }
    }

    private void hearFirst(DsseEnvelope envelope, Message opening) throws DisputeException {
        requireSigner(envelope, Party.AUDITOR, 0);
        messages.add(new Signed(opening, Party.AUDITOR));
    }

    private void hear(DsseEnvelope envelope, long sequence) throws DisputeException {
        Message message = message(envelope, sequence);
        Sha256 before = messages.getLast().message().digest();
        if (message.sequence() != sequence || !message.previous().equals(Optional.of(before))) {
            throw new DisputeException("%s: should be message %d after %s, says %d after %s"
                    .formatted(
                            DisputeFolder.name(sequence),
                            sequence,
                            before,
                            message.sequence(),
                            message.previous().map(Sha256::hex).orElse("none")));
        }
        Party signer = signer(envelope, sequence);
        try {
            game.accept(signer, message.move());
        } catch (DisputeException e) {
            throw new DisputeException(DisputeFolder.name(sequence) + ": " + e.getMessage(), e);
        }
        messages.add(new Signed(message, signer));
    }

    private Party signer(DsseEnvelope envelope, long sequence) throws DisputeException {
        for (Party party : Party.values()) {
            if (isBy(envelope, party)) {
                return party;
            }
        }
        throw new DisputeException(DisputeFolder.name(sequence)
                + ": signed by none of the three keys of this dispute, or changed after that");
    }

    private void requireSigner(DsseEnvelope envelope, Party party, long sequence) throws DisputeException {
        if (!isBy(envelope, party)) {
            throw new DisputeException("%s: not signed by the %s's key, or changed after that"
                    .formatted(DisputeFolder.name(sequence), party));
        }
    }

    private boolean isBy(DsseEnvelope envelope, Party party) {
        VerifyingKey key = key(party);
        // The hint decides nothing, but a wrong one is a changed byte.
        boolean hinted = envelope.signatures()
                .getFirst()
                .keyId()
                .equals(Optional.of(key.id().hex()));
        return hinted
                && key.verify(envelope.pae(), envelope.signatures().getFirst().bytes());
    }

    DisputeFolder folder() {
        return folder;
    }

    DisputeGame game() {
        return game;
    }

    List<Signed> messages() {
        return List.copyOf(messages);
    }

    /** The dispute's name: the digest of its first message. */
    Sha256 id() {
        return messages.getFirst().message().digest();
    }

    VerifyingKey key(Party party) {
        VerifyingKey key = keys.get(party);
        if (key == null) {
            throw new IllegalStateException("every party has a key");
        }
        return key;
    }

    /** Refuses a key that is not the referee's. */
    void requireReferee(VerifyingKey found) throws CommandFailure {
        VerifyingKey expected = key(Party.REFEREE);
        if (!found.equals(expected)) {
            throw CommandFailure.usage(
                    "the dispute's referee has key %s, this is %s".formatted(expected.id(), found.id()));
        }
    }

    /** Which side this key speaks for. */
    Optional<Party> partyOf(VerifyingKey key) {
        return keys.entrySet().stream()
                .filter(entry -> entry.getValue().equals(key))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    /** True where the trainer's own signature stands under the commitment, in the premise or by answering. */
    boolean trainerIsBound() {
        return commitmentSigned || messages.stream().anyMatch(m -> m.signer() == Party.TRAINER);
    }

    /**
     * Hears an envelope as the next message, without writing it.
     *
     * @return who signed it
     * @throws DisputeException if it is none of the two sides', out of turn or malformed
     */
    Party take(byte[] envelope) throws DisputeException {
        hear(envelope(envelope, messages.size()), messages.size());
        return messages.getLast().signer();
    }

    /** Adds a message of this key's owner, heard by the rules first. */
    void append(SigningKey key, Move move) throws IOException, DisputeException {
        Party party = partyOf(key.verifyingKey())
                .orElseThrow(() -> new DisputeException("this key is none of the three of this dispute"));
        Message next = messages.getLast().message().next(move);
        byte[] bytes = next.toBytes();
        Message.read(bytes);
        game.accept(party, move);
        folder.append(
                next.sequence(), DsseEnvelope.sign(PAYLOAD_TYPE, bytes, key).toBytes());
        messages.add(new Signed(next, party));
    }

    /** The envelope of the first message. */
    static byte[] opening(SigningKey key, Move.Open open) {
        return DsseEnvelope.sign(PAYLOAD_TYPE, new Message(0, Optional.empty(), open).toBytes(), key)
                .toBytes();
    }
}
