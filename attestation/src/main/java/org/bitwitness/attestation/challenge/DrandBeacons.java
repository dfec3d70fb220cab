package org.bitwitness.attestation.challenge;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HexFormat;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.drand.DrandChain;
import org.bitwitness.attestation.drand.RoundSource;
import org.bitwitness.attestation.note.SignedNote;
import org.bitwitness.attestation.statement.BeaconEvidence;
import org.bitwitness.attestation.statement.LogPosition;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.trust.VerifiedCheckpoint;
import org.bitwitness.protocol.audit.Beacon;

/**
 * Beacons of mode {@code drand}: the round follows from the time at which the witnesses saw the commitment, and its
 * signature from nobody in particular.
 */
final class DrandBeacons {
    private DrandBeacons() {}

    /** Gets the round that the rule fixes, and checks it. */
    static BeaconEvidence.Drand collect(VerifiedCheckpoint checkpoint, TrustPolicy trust, RoundSource rounds)
            throws AttestationException {
        DrandChain chain = chain(checkpoint, trust);
        long round = chain.roundAfter(time(checkpoint));
        byte[] signature = rounds.signature(chain, round);
        chain.verify(round, signature);
        return new BeaconEvidence.Drand(
                round, HexFormat.of().formatHex(signature), checkpoint.note().toString());
    }

    /**
     * Derives the round again from the cosigned checkpoint, then checks the signature.
     *
     * @throws AttestationException refused, if the checkpoint is not the one the challenge stands on, another round
     *     follows from it, or the signature is not that round's
     */
    static Beacon.Drand verify(BeaconEvidence.Drand beacon, LogPosition position, TrustPolicy trust)
            throws AttestationException {
        SignedNote note = SignedNote.parse(beacon.checkpoint().getBytes(StandardCharsets.UTF_8));
        VerifiedCheckpoint checkpoint = trust.witnesses().verify(note);
        boolean same = checkpoint.checkpoint().origin().equals(position.origin())
                && checkpoint.checkpoint().size() == position.treeSize()
                && checkpoint.checkpoint().root().equals(position.root());
        if (!same) {
            throw AttestationException.refused(
                    "the beacon's checkpoint has %d entries and root %s, the challenge stands on %d entries and root %s"
                            .formatted(
                                    checkpoint.checkpoint().size(),
                                    checkpoint.checkpoint().root(),
                                    position.treeSize(),
                                    position.root()));
        }
        DrandChain chain = chain(checkpoint, trust);
        long round = chain.roundAfter(time(checkpoint));
        if (beacon.round() != round) {
            throw AttestationException.refused(
                    "witnessed at %s, the rule fixes round %d of %s; the challenge uses round %d: nobody may choose it"
                            .formatted(time(checkpoint), round, chain.name(), beacon.round()));
        }
        chain.verify(round, beacon.signature());
        return new Beacon.Drand(round, beacon.signatureHex());
    }

    private static DrandChain chain(VerifiedCheckpoint checkpoint, TrustPolicy trust) throws AttestationException {
        return trust.drand().inForce(time(checkpoint));
    }

    private static Instant time(VerifiedCheckpoint checkpoint) throws AttestationException {
        return checkpoint
                .witnessedAt()
                .orElseThrow(() -> AttestationException.refused(
                        "no witness says when it saw this checkpoint, so no drand round follows from it"));
    }
}
