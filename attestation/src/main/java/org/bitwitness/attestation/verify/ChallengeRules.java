package org.bitwitness.attestation.verify;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.attestation.log.LogReceipt;
import org.bitwitness.attestation.note.Checkpoint;
import org.bitwitness.attestation.statement.AuditChallengeStatement;
import org.bitwitness.attestation.statement.BeaconEvidence;
import org.bitwitness.attestation.statement.LogPosition;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.trust.WitnessIdentity;
import org.bitwitness.attestation.vrf.EcVrfP256;
import org.bitwitness.attestation.vrf.VrfProof;
import org.bitwitness.attestation.witness.BeaconRequest;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.audit.Beacon;
import org.bitwitness.protocol.audit.ChallengeSeed;
import org.bitwitness.protocol.audit.UnitDraw;
import org.bitwitness.protocol.audit.UnitPopulation;
import org.bitwitness.protocol.record.AuditPolicy;
import org.bitwitness.protocol.record.BeaconMode;
import org.bitwitness.protocol.record.Commitment;

/**
 * How units are drawn, once for the auditor who draws and for everybody who draws again: the beacon's proofs, then the
 * auditor's VRF over commitment and beacon, then the numbers that follow from its output.
 *
 * @param trust whose witnesses answer beacons
 * @param policy of the run's OPEN: which units, how many, which beacon
 * @param commitment the one that is challenged
 */
public record ChallengeRules(TrustPolicy trust, AuditPolicy policy, Commitment commitment) {

    /** Where a receipt says its entry stands. */
    public static LogPosition positionOf(LogReceipt receipt) throws AttestationException {
        Checkpoint checkpoint = Checkpoint.parse(receipt.checkpoint().text());
        return new LogPosition(
                checkpoint.origin(), checkpoint.size(), checkpoint.root(), receipt.index(), receipt.leafHash());
    }

    /** What each witness is asked about a commitment at this place. */
    public static BeaconRequest beaconRequest(LogPosition position) {
        return new BeaconRequest(position.origin(), position.treeSize(), position.root(), position.leafIndex());
    }

    /** A commitment as challenges name it. */
    public static AuditChallengeStatement.Target target(Commitment commitment) {
        return new AuditChallengeStatement.Target(commitment.runId(), commitment.digest(), commitment.chainHash());
    }

    /**
     * Draws an auditor's units.
     *
     * @param position the first witnessed checkpoint that holds the commitment
     * @throws AttestationException refused: the beacon is of another mode than OPEN's, or a proof in it does not hold
     */
    public AuditChallengeStatement draw(LogPosition position, BeaconEvidence evidence, SigningKey auditor)
            throws AttestationException {
        byte[] alpha = alpha(position, evidence);
        VrfProof proof = EcVrfP256.prove(auditor, alpha);
        Sha256 beta = EcVrfP256.verify(auditor.verifyingKey(), alpha, proof)
                .orElseThrow(() -> new IllegalStateException("an own proof must verify"));
        return new AuditChallengeStatement(target(commitment), position, evidence, proof, units(beta));
    }

    /**
     * Draws again and compares. The position is not checked against a log here.
     *
     * @throws AttestationException refused: another commitment, a proof that does not hold, other units
     */
    public void requireDrawnBy(VerifyingKey auditor, AuditChallengeStatement challenge) throws AttestationException {
        if (!challenge.target().equals(target(commitment))) {
            throw AttestationException.refused(
                    "the challenge is for commitment %s with chain hash %s, this is %s with %s"
                            .formatted(
                                    challenge.target().commitment(),
                                    challenge.target().chainHash(),
                                    commitment.digest(),
                                    commitment.chainHash()));
        }
        byte[] alpha = alpha(challenge.position(), challenge.beacon());
        Sha256 beta = EcVrfP256.verify(auditor, alpha, challenge.proof())
                .orElseThrow(() -> AttestationException.refused(
                        "the VRF proof is not key %s's over this commitment and beacon".formatted(auditor.id())));
        List<AuditUnit> expected = units(beta);
        if (!expected.equals(challenge.units())) {
            throw AttestationException.refused(
                    "the draw gives %s, the challenge claims %s: units were chosen, not drawn"
                            .formatted(expected, challenge.units()));
        }
    }

    /** What this commitment's units are drawn from. */
    public UnitPopulation population() throws AttestationException {
        try {
            return UnitPopulation.of(policy, commitment);
        } catch (IllegalArgumentException e) {
            throw new AttestationException(AttestationException.Kind.MALFORMED, "OPEN's policy: " + e.getMessage(), e);
        }
    }

    private List<AuditUnit> units(Sha256 beta) throws AttestationException {
        UnitPopulation population = population();
        if (population.size() == 0) {
            throw AttestationException.refused(
                    "there is nothing to draw from: the population %s of this commitment is empty"
                            .formatted(policy.population()));
        }
        return population.units(UnitDraw.draw(beta, population.size(), policy.unitsPerAuditor()));
    }

    private byte[] alpha(LogPosition position, BeaconEvidence evidence) throws AttestationException {
        if (evidence.mode() != policy.beaconMode()) {
            throw AttestationException.refused("OPEN's policy asks for beacon mode %s, the challenge uses %s"
                    .formatted(policy.beaconMode().text(), evidence.mode().text()));
        }
        return new ChallengeSeed(
                        position.origin(),
                        position.treeSize(),
                        position.root(),
                        position.leafIndex(),
                        position.leafHash(),
                        commitment.chainHash(),
                        beacon(position, evidence))
                .alpha();
    }

    private Beacon beacon(LogPosition position, BeaconEvidence evidence) throws AttestationException {
        return switch (evidence) {
            case BeaconEvidence.WitnessVrf witnesses -> witnessBeacon(position, witnesses);
            case BeaconEvidence.VrfOnly unused -> new Beacon.VrfOnly();
            case BeaconEvidence.Drand unused ->
                throw AttestationException.inconclusive(
                        "beacon mode %s is not in this version: check the round with a later one"
                                .formatted(BeaconMode.DRAND.text()));
        };
    }

    /** Every witness of the quorum must have answered: were a part enough, whoever asks could choose the part. */
    private Beacon witnessBeacon(LogPosition position, BeaconEvidence.WitnessVrf evidence) throws AttestationException {
        byte[] alpha = beaconRequest(position).alpha();
        Map<String, VrfProof> proofs = new HashMap<>();
        evidence.proofs().forEach(answer -> proofs.put(answer.name(), answer.proof()));
        Map<String, Sha256> betas = new HashMap<>();
        for (WitnessIdentity witness : trust.witnesses().beaconWitnesses()) {
            String name = witness.key().name();
            VrfProof proof = proofs.remove(name);
            if (proof == null) {
                throw AttestationException.refused(
                        "the beacon lacks the answer of witness %s, which the policy requires".formatted(name));
            }
            VerifyingKey key = trust.vrfKeyOf(witness)
                    .orElseThrow(() -> AttestationException.inconclusive(
                            "the trust folder has no beacon key of witness %s: add %s/%s.pem"
                                    .formatted(name, TrustPolicy.WITNESS_VRF, witness.name())));
            betas.put(
                    name,
                    EcVrfP256.verify(key, alpha, proof)
                            .orElseThrow(() -> AttestationException.refused(
                                    "the beacon proof of witness %s does not hold for tree %d of %s"
                                            .formatted(name, position.treeSize(), position.origin()))));
        }
        if (!proofs.isEmpty()) {
            throw AttestationException.refused("the beacon has answers of witnesses that the policy does not require: "
                    + String.join(", ", proofs.keySet()));
        }
        if (betas.isEmpty()) {
            throw AttestationException.refused("the policy requires no witness, so there is no witness beacon");
        }
        return Beacon.ofWitnesses(betas);
    }
}
