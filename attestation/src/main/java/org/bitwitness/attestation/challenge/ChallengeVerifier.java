package org.bitwitness.attestation.challenge;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.dsse.LogEntry;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.attestation.log.LogReader;
import org.bitwitness.attestation.registry.KeyRegistry;
import org.bitwitness.attestation.statement.AuditChallengeStatement;
import org.bitwitness.attestation.statement.KeyEventStatement;
import org.bitwitness.attestation.statement.LogPosition;
import org.bitwitness.attestation.statement.PredicateType;
import org.bitwitness.attestation.statement.Statement;
import org.bitwitness.attestation.statement.TrainingCommitmentStatement;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.vrf.EcVrfP256;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.CommitmentDigest;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.merkle.MerkleTree;
import org.bitwitness.protocol.record.AuditPolicy;
import org.bitwitness.protocol.record.Commitment;

/**
 * A verifier's side: reads a challenge from a log and derives everything in it again. Needs the log and the verifier's
 * own policy, and believes neither the auditor nor the trainer.
 */
public final class ChallengeVerifier {
    private final LogReader log;
    private final TrustPolicy trust;
    private final KeyRegistry registry;
    private final Map<RunId, Opened> openByRun = new HashMap<>();
    private final Map<Committed, Long> firstIndex = new HashMap<>();

    private record Opened(long index, Commitment commitment) {}

    private record Committed(VerifyingKey trainer, CommitmentDigest commitment) {}

    private record Signed(VerifyingKey key, Statement statement) {}

    /** Reads the log once, to find where each run was opened and what happened to whose key. */
    public ChallengeVerifier(LogReader log, TrustPolicy trust) throws AttestationException {
        this.log = log;
        this.trust = trust;
        this.registry = new KeyRegistry(trust);
        log.visit(0, (index, entry, payload) -> {
            if (payload.isPresent()) {
                note(index, entry, payload.get());
            }
        });
    }

    /**
     * Derives a challenge again.
     *
     * @param index of the challenge in the log
     * @throws AttestationException refused, naming the first thing that does not hold; inconclusive, if the log lacks a
     *     payload
     */
    public VerifiedChallenge verify(long index) throws AttestationException {
        try {
            return derive(index);
        } catch (AttestationException e) {
            throw e.in("challenge at log index " + index);
        }
    }

    private VerifiedChallenge derive(long index) throws AttestationException {
        Signed signed = signed(index);
        AuditChallengeStatement challenge = AuditChallengeStatement.of(signed.statement());
        String auditor = auditor(signed.key(), index, challenge.position().leafIndex());
        LogPosition position = challenge.position();
        requireInThisLog(position, index);
        Commitment commitment = commitmentAt(challenge);
        AuditPolicy policy = policyOf(commitment, position.leafIndex());
        if (policy.beaconMode() != challenge.beacon().mode()) {
            throw AttestationException.refused(
                    "the run's policy says beacon mode %s, the challenge uses %s: nobody may choose the beacon"
                            .formatted(
                                    policy.beaconMode().text(),
                                    challenge.beacon().mode().text()));
        }
        byte[] alpha = ChallengeDraw.alpha(
                challenge.target(), position, Beacons.verified(challenge.beacon(), position, trust));
        Sha256 beta = EcVrfP256.verify(signed.key(), alpha, challenge.proof())
                .orElseThrow(() -> AttestationException.refused(
                        "the VRF proof is not that of auditor %s over this commitment and beacon".formatted(auditor)));
        requireUnits(ChallengeDraw.units(beta, policy, commitment), challenge.units());
        return new VerifiedChallenge(
                index,
                signed.key(),
                auditor,
                commitment,
                position.leafIndex(),
                policy,
                policy.beaconMode(),
                challenge.units());
    }

    /** Enrolment closes at the commitment: whoever could make keys after it could look for a draw that suits. */
    private String auditor(VerifyingKey key, long index, long commitmentIndex) throws AttestationException {
        String name = registry.auditorName(key, index)
                .orElseThrow(() -> AttestationException.refused(registry.endedBefore(key, index)
                        .map(end -> "key %s was %s".formatted(key.id(), end))
                        .orElse("key %s is not among the auditors this policy accepts".formatted(key.id()))));
        long since = registry.auditorSince(key).orElse(KeyRegistry.FROM_THE_START);
        if (since > commitmentIndex) {
            throw AttestationException.refused(
                    "key %s of %s counts from log entry %d, the commitment is entry %d: enrolment closes at the commitment"
                            .formatted(key.id(), name, since, commitmentIndex));
        }
        return name;
    }

    /** What the log says about keys. */
    public KeyRegistry registry() {
        return registry;
    }

    /** The tree the draw rests on must be an earlier state of this log, from before the challenge was in it. */
    private void requireInThisLog(LogPosition position, long challengeIndex) throws AttestationException {
        if (!position.origin().equals(log.origin())) {
            throw AttestationException.refused(
                    "it was drawn on log %s, this is %s".formatted(position.origin(), log.origin()));
        }
        if (position.treeSize() > challengeIndex) {
            throw AttestationException.refused(
                    "it was drawn on a tree of %d entries, which holds the challenge itself (index %d)"
                            .formatted(position.treeSize(), challengeIndex));
        }
        Sha256 root = log.rootAt(position.treeSize());
        if (!root.equals(position.root())) {
            throw AttestationException.refused(
                    "it was drawn on a tree of %d entries with root %s; this log's first %d entries have root %s"
                            .formatted(position.treeSize(), position.root(), position.treeSize(), root));
        }
        Sha256 leafHash = MerkleTree.leafHash(log.leaf(position.leafIndex()));
        if (!leafHash.equals(position.leafHash())) {
            throw AttestationException.refused(
                    "entry %d of that tree has leaf hash %s, the challenge says %s: the commitment is not there"
                            .formatted(position.leafIndex(), leafHash, position.leafHash()));
        }
    }

    private Commitment commitmentAt(AuditChallengeStatement challenge) throws AttestationException {
        long index = challenge.position().leafIndex();
        Signed signed = signed(index);
        LoggedCommitment.requireTrainer(registry, signed.key(), index);
        Commitment commitment =
                TrainingCommitmentStatement.of(signed.statement()).commitment();
        AuditChallengeStatement.Target there =
                new AuditChallengeStatement.Target(commitment.runId(), commitment.digest(), commitment.chainHash());
        if (!there.equals(challenge.target())) {
            throw AttestationException.refused("entry %d is commitment %s of run %s, the challenge names %s of run %s"
                    .formatted(
                            index,
                            there.commitment(),
                            there.runId(),
                            challenge.target().commitment(),
                            challenge.target().runId()));
        }
        // Another entry gives another draw, and a second signature over the same commitment makes one.
        long first = firstIndex.getOrDefault(new Committed(signed.key(), commitment.digest()), index);
        if (first != index) {
            throw AttestationException.refused(
                    "it was drawn for entry %d, which says again what entry %d said: a commitment counts at its first entry"
                            .formatted(index, first));
        }
        Opened opened = opened(commitment.runId());
        LoggedCommitment.requireOpenedBy(opened.commitment(), commitment, signed.key());
        return commitment;
    }

    private AuditPolicy policyOf(Commitment commitment, long commitmentIndex) throws AttestationException {
        Opened opened = opened(commitment.runId());
        if (opened.index() > commitmentIndex) {
            throw AttestationException.refused(
                    "run %s was opened at log index %d, after its commitment at %d: an OPEN comes first"
                            .formatted(commitment.runId(), opened.index(), commitmentIndex));
        }
        return opened.commitment().open().orElseThrow().policy();
    }

    private Opened opened(RunId run) throws AttestationException {
        Opened opened = openByRun.get(run);
        if (opened == null) {
            throw AttestationException.inconclusive(
                    "the log shows no OPEN of run %s by its trainer, so nobody knows what may be drawn".formatted(run));
        }
        return opened;
    }

    private static void requireUnits(List<AuditUnit> expected, List<AuditUnit> found) throws AttestationException {
        if (!expected.equals(found)) {
            throw AttestationException.refused("the draw gives units %s, the challenge lists %s"
                    .formatted(
                            expected.stream().map(AuditUnit::text).toList(),
                            found.stream().map(AuditUnit::text).toList()));
        }
    }

    private void note(long index, LogEntry entry, byte[] payload) throws AttestationException {
        Statement statement;
        try {
            statement = Statement.parse(entry.verified(payload));
        } catch (AttestationException notOneOfOurStatements) {
            return;
        }
        switch (statement.predicateType()) {
            case PredicateType.TRAINING_COMMITMENT -> noteCommitment(index, entry, statement);
            case PredicateType.KEY_EVENT -> noteKeyEvent(index, entry, statement);
            default -> {}
        }
    }

    private void noteKeyEvent(long index, LogEntry entry, Statement statement) {
        try {
            registry.take(index, entry.key(), KeyEventStatement.of(statement).event());
        } catch (AttestationException malformed) {
            // LogSurvey lists it as a gap, which is decisive where its signer is trusted.
        }
    }

    private void noteCommitment(long index, LogEntry entry, Statement statement) {
        Commitment commitment;
        try {
            commitment = TrainingCommitmentStatement.of(statement).commitment();
        } catch (AttestationException malformed) {
            return;
        }
        firstIndex.putIfAbsent(new Committed(entry.key(), commitment.digest()), index);
        // Anybody may log a copy under another key; only the trainer that OPEN itself names opens the run.
        if (commitment.open().isPresent()
                && Arrays.equals(
                        commitment.open().get().trainerSpki(), entry.key().spki())) {
            openByRun.putIfAbsent(commitment.runId(), new Opened(index, commitment));
        }
    }

    private Signed signed(long index) throws AttestationException {
        LogEntry entry = log.entry(index);
        Sha256 digest = entry.payloadDigest()
                .orElseThrow(() -> AttestationException.inconclusive(
                        "entry %d does not name its payload's digest".formatted(index)));
        byte[] payload = log.payload(digest)
                .orElseThrow(() -> AttestationException.inconclusive(
                        "the log lacks the payload of entry %d (%s): ask the operator for it"
                                .formatted(index, digest)));
        return new Signed(entry.key(), Statement.parse(entry.verified(payload)));
    }
}
