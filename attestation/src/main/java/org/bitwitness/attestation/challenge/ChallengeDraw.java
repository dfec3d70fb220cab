package org.bitwitness.attestation.challenge;

import java.util.List;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.drand.RoundSource;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.statement.AuditChallengeStatement;
import org.bitwitness.attestation.statement.AuditChallengeStatement.Target;
import org.bitwitness.attestation.statement.BeaconEvidence;
import org.bitwitness.attestation.statement.LogPosition;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.vrf.EcVrfP256;
import org.bitwitness.attestation.vrf.VrfProof;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.audit.Beacon;
import org.bitwitness.protocol.audit.ChallengeSeed;
import org.bitwitness.protocol.audit.UnitDraw;
import org.bitwitness.protocol.audit.UnitPopulation;
import org.bitwitness.protocol.record.AuditPolicy;
import org.bitwitness.protocol.record.BeaconMode;
import org.bitwitness.protocol.record.Commitment;

/** An auditor's side: commitment, beacon and its own key give the units it has to replay. */
public final class ChallengeDraw {
    private ChallengeDraw() {}

    /**
     * Collects the beacon that the run's policy calls for and draws.
     *
     * @param target logged before anything here happens
     * @param open the commitment that opened the run; its policy says how many units and which beacon
     * @return the statement to sign and to log before replaying
     * @throws AttestationException inconclusive, if a witness withholds its answer
     */
    public static AuditChallengeStatement draw(
            LoggedCommitment target, Commitment open, SigningKey auditor, TrustPolicy trust)
            throws AttestationException {
        return draw(target, open, auditor, trust, RoundSource.live());
    }

    /** The same, with drand rounds from elsewhere. */
    public static AuditChallengeStatement draw(
            LoggedCommitment target, Commitment open, SigningKey auditor, TrustPolicy trust, RoundSource rounds)
            throws AttestationException {
        target.requireOpenedBy(open);
        AuditPolicy policy = open.open().orElseThrow().policy();
        BeaconEvidence beacon = collect(policy.beaconMode(), target, trust, rounds);
        byte[] alpha = alpha(target.target(), target.position(), Beacons.verified(beacon, target.position(), trust));
        VrfProof proof = EcVrfP256.prove(auditor, alpha);
        Sha256 beta = EcVrfP256.verify(auditor.verifyingKey(), alpha, proof)
                .orElseThrow(() -> new IllegalStateException("our own VRF proof does not verify"));
        return new AuditChallengeStatement(
                target.target(), target.position(), beacon, proof, units(beta, policy, target.commitment()));
    }

    static byte[] alpha(Target target, LogPosition position, Beacon beacon) {
        return new ChallengeSeed(
                        position.origin(),
                        position.treeSize(),
                        position.root(),
                        position.leafIndex(),
                        position.leafHash(),
                        target.chainHash(),
                        beacon)
                .alpha();
    }

    static List<AuditUnit> units(Sha256 beta, AuditPolicy policy, Commitment commitment) throws AttestationException {
        UnitPopulation population;
        try {
            population = UnitPopulation.of(policy, commitment);
        } catch (IllegalArgumentException e) {
            throw new AttestationException(
                    AttestationException.Kind.REFUSED, "the run's audit policy: " + e.getMessage(), e);
        }
        if (population.size() == 0) {
            throw AttestationException.inconclusive(
                    "commitment %d of run %s covers no unit of \"%s\": nothing can be drawn from it"
                            .formatted(commitment.sequence(), commitment.runId(), policy.population()));
        }
        return population.units(UnitDraw.draw(beta, population.size(), policy.unitsPerAuditor()));
    }

    private static BeaconEvidence collect(
            BeaconMode mode, LoggedCommitment target, TrustPolicy trust, RoundSource rounds)
            throws AttestationException {
        return switch (mode) {
            case WITNESS_VRF -> WitnessBeacons.collect(target.position(), trust);
            case VRF_ONLY -> new BeaconEvidence.VrfOnly();
            case DRAND -> DrandBeacons.collect(target.checkpoint(), trust, rounds);
        };
    }
}
