package org.bitwitness.attestation.verify;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.attestation.statement.AuditChallengeStatement;
import org.bitwitness.attestation.statement.AuditVerdictStatement;
import org.bitwitness.attestation.statement.TrainingCommitmentStatement;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProfileId;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.audit.AssuranceLevel;
import org.bitwitness.protocol.audit.Coverage;
import org.bitwitness.protocol.audit.DetectionPower;
import org.bitwitness.protocol.audit.UnitPopulation;
import org.bitwitness.protocol.record.AuditPolicy;
import org.bitwitness.protocol.record.BeaconMode;
import org.bitwitness.protocol.record.Commitment;

/**
 * What a log and a trust folder prove about one run.
 *
 * @param chain the trainer's commitments
 * @param trainer name of the trainer's key in the trust folder; empty if the verifier does not know it
 * @param challenges of the run's commitments, in log order
 * @param verdicts about the run, in log order
 * @param siblings other runs that the same trainer opened on the same dataset
 * @param drills openings that hold and say that faults were planted in this run, by anybody
 */
public record RunEvidence(
        CommitmentChain chain,
        Optional<String> trainer,
        List<ChallengeFinding> challenges,
        List<VerdictFinding> verdicts,
        List<RunId> siblings,
        List<Drill> drills) {
    /**
     * That the run was a drill.
     *
     * @param believed whether the verifier knows who says so: anybody can of a run whose configuration can be guessed
     */
    public record Drill(DrillFinding finding, boolean believed) {
        /** {@code a drill, 3 faults were planted in it on purpose (log entry 12)}. */
        public String sentence() {
            return "a drill, %d faults were planted in it on purpose (log entry %d)"
                    .formatted(
                            finding.opening().statement().drill().faults().size(),
                            finding.opening().index());
        }
    }

    public RunEvidence {
        challenges = List.copyOf(challenges);
        verdicts = List.copyOf(verdicts);
        siblings = List.copyOf(siblings);
        drills = List.copyOf(drills);
    }

    /**
     * Judges a run.
     *
     * @throws AttestationException inconclusive, if the log cannot be read in full; refused, if the run's commitments
     *     contradict each other or claim more steps than can be judged
     */
    public static RunEvidence of(LogSurvey survey, RunId runId) throws AttestationException {
        survey.requireComplete();
        CommitmentChain chain = CommitmentChain.of(survey, runId);
        requireJudgeable(chain);
        List<ChallengeFinding> challenges = new ArrayList<>();
        for (Logged<AuditChallengeStatement> logged : survey.challenges()) {
            if (logged.statement().target().runId().equals(runId)) {
                challenges.add(new ChallengeFinding(
                        logged,
                        survey.registry().auditorName(logged.signer(), logged.index()),
                        survey.drawingFault(logged.index())));
            }
        }
        List<ChallengeFinding> first = FirstDraws.only(challenges);
        List<VerdictFinding> verdicts = new ArrayList<>();
        for (Logged<AuditVerdictStatement> logged : survey.verdicts()) {
            if (logged.statement().basis().runId().equals(runId)) {
                verdicts.add(judge(survey, chain, first, logged));
            }
        }
        Optional<String> trainer =
                survey.registry().trainerName(chain.trainer(), chain.open().index());
        return new RunEvidence(chain, trainer, first, verdicts, siblings(survey, chain), drills(survey, chain));
    }

    private static void requireJudgeable(CommitmentChain chain) throws AttestationException {
        Commitment last = commitment(chain.last());
        population(chain);
        if (last.endStep() > Coverage.MAX_STEPS) {
            throw AttestationException.refused("run %s: commitment %d claims %d steps, this version judges at most %d"
                    .formatted(last.runId(), last.sequence(), last.endStep(), Coverage.MAX_STEPS));
        }
    }

    private static List<Drill> drills(LogSurvey survey, CommitmentChain chain) throws AttestationException {
        List<Drill> drills = new ArrayList<>();
        for (DrillFinding finding : DrillFinding.all(survey).held()) {
            boolean faulty = !finding.opening().statement().drill().faults().isEmpty();
            if (faulty && finding.chain().runId().equals(chain.runId())) {
                VerifyingKey signer = finding.opening().signer();
                drills.add(new Drill(finding, survey.registry().everTrusted(signer) || signer.equals(chain.trainer())));
            }
        }
        return drills;
    }

    /** Known to be a drill: its model is what faults made of it. */
    public Optional<Drill> drill() {
        return drills.stream().filter(Drill::believed).findFirst();
    }

    private static VerdictFinding judge(
            LogSurvey survey,
            CommitmentChain chain,
            List<ChallengeFinding> challenges,
            Logged<AuditVerdictStatement> logged) {
        AuditVerdictStatement.Basis basis = logged.statement().basis();
        Optional<String> auditor = survey.registry().auditorName(logged.signer(), logged.index());
        Optional<String> ended = survey.registry().endedBefore(logged.signer(), logged.index());
        if (auditor.isEmpty() && ended.isPresent()) {
            return new VerdictFinding(
                    logged, auditor, VerdictFinding.Choice.CLAIMED, Optional.of("its key was " + ended.get()));
        }
        Optional<Logged<TrainingCommitmentStatement>> target = chain.find(basis.commitment());
        if (target.isEmpty() || target.get().index() != basis.commitmentLogIndex()) {
            String fault = "commitment %s is not this run's at entry %d"
                    .formatted(basis.commitment(), basis.commitmentLogIndex());
            return new VerdictFinding(logged, auditor, VerdictFinding.Choice.CLAIMED, Optional.of(fault));
        }
        if (!basis.drawn()) {
            return new VerdictFinding(logged, auditor, VerdictFinding.Choice.SPOT, Optional.empty());
        }
        Optional<String> notDrawn = notDrawn(challenges, logged);
        return new VerdictFinding(
                logged,
                auditor,
                notDrawn.isEmpty() ? VerdictFinding.Choice.DRAWN : VerdictFinding.Choice.CLAIMED,
                notDrawn);
    }

    private static Optional<String> notDrawn(List<ChallengeFinding> challenges, Logged<AuditVerdictStatement> logged) {
        long index = logged.statement().basis().challengeLogIndex().orElseThrow();
        Optional<ChallengeFinding> found = challenges.stream()
                .filter(finding -> finding.logged().index() == index)
                .findFirst();
        if (found.isEmpty()) {
            return Optional.of("entry %d is no challenge of this run".formatted(index));
        }
        Logged<AuditChallengeStatement> challenge = found.get().logged();
        if (found.get().fault().isPresent()) {
            return Optional.of("its challenge (entry %d) does not hold: %s"
                    .formatted(index, found.get().fault().get()));
        }
        if (!challenge.signer().equals(logged.signer())) {
            return Optional.of("its challenge (entry %d) is another auditor's".formatted(index));
        }
        if (logged.index() < index
                || !challenge
                        .statement()
                        .units()
                        .contains(logged.statement().report().unit())
                || !challenge
                        .statement()
                        .target()
                        .commitment()
                        .equals(logged.statement().basis().commitment())) {
            return Optional.of("its challenge (entry %d) did not draw this unit".formatted(index));
        }
        return Optional.empty();
    }

    private static List<RunId> siblings(LogSurvey survey, CommitmentChain chain) {
        var dataset = commitment(chain.open()).open().orElseThrow().datasetRoot();
        Set<RunId> runs = new LinkedHashSet<>();
        for (Logged<TrainingCommitmentStatement> logged : survey.commitments()) {
            Commitment commitment = commitment(logged);
            boolean sameDataset = commitment
                    .open()
                    .map(open -> open.datasetRoot().equals(dataset))
                    .orElse(false);
            if (sameDataset
                    && logged.signer().equals(chain.trainer())
                    && !commitment.runId().equals(chain.runId())) {
                runs.add(commitment.runId());
            }
        }
        return List.copyOf(runs);
    }

    private static Commitment commitment(Logged<TrainingCommitmentStatement> logged) {
        return logged.statement().commitment();
    }

    private static AuditPolicy policy(CommitmentChain chain) {
        return commitment(chain.open()).open().orElseThrow().policy();
    }

    /** The policy that OPEN promised. */
    public AuditPolicy policy() {
        return policy(chain);
    }

    /** Units of the newest commitment. */
    public UnitPopulation population() throws AttestationException {
        return population(chain);
    }

    private static UnitPopulation population(CommitmentChain chain) throws AttestationException {
        try {
            return UnitPopulation.of(policy(chain), commitment(chain.last()));
        } catch (IllegalArgumentException e) {
            throw new AttestationException(AttestationException.Kind.MALFORMED, "OPEN's policy: " + e.getMessage(), e);
        }
    }

    /** Different units that were drawn and reproduced, with verdicts that count. */
    public Set<AuditUnit> reproducedUnits() {
        Set<AuditUnit> units = new LinkedHashSet<>();
        verdicts.stream().filter(VerdictFinding::covers).forEach(finding -> units.add(finding.unit()));
        return units;
    }

    /** Verdicts by accepted auditors that found other bits. */
    public List<VerdictFinding> failures() {
        return verdicts.stream().filter(VerdictFinding::fails).toList();
    }

    /** Units that an accepted auditor drew and has given no verdict on. */
    public List<String> unanswered() {
        List<String> open = new ArrayList<>();
        for (ChallengeFinding challenge : challenges) {
            if (challenge.counts()) {
                for (AuditUnit unit : unanswered(challenge)) {
                    open.add("%s (drawn by %s, entry %d)"
                            .formatted(
                                    unit.text(),
                                    challenge.auditor().orElseThrow(),
                                    challenge.logged().index()));
                }
            }
        }
        return open;
    }

    /** Units of one challenge that its auditor has given no verdict on. */
    public List<AuditUnit> unanswered(ChallengeFinding challenge) {
        return challenge.logged().statement().units().stream()
                .filter(unit -> verdicts.stream().noneMatch(verdict -> answers(verdict, challenge, unit)))
                .toList();
    }

    private static boolean answers(VerdictFinding verdict, ChallengeFinding challenge, AuditUnit unit) {
        return verdict.unit().equals(unit)
                && verdict.logged().signer().equals(challenge.logged().signer())
                && verdict.logged().statement().basis().challengeLogIndex().orElse(-1)
                        == challenge.logged().index();
    }

    /** Verdicts by accepted auditors that could not decide. */
    public List<VerdictFinding> undecided() {
        return verdicts.stream()
                .filter(finding -> finding.auditor().isPresent() && finding.verdict() == Verdict.INCONCLUSIVE)
                .toList();
    }

    /**
     * Steps that enough accepted auditors reproduced. An auditor counts once, whatever keys it had in turn.
     * Only units that hold whole steps count here: how many workers a
     * step has is in the descriptor, which a log does not hold.
     */
    public Coverage coverage() {
        Map<Sha256, Set<AuditUnit>> byAuditor = new HashMap<>();
        for (VerdictFinding finding : verdicts) {
            boolean wholeSteps =
                    finding.unit() instanceof AuditUnit.Step || finding.unit() instanceof AuditUnit.Segment;
            if (finding.covers() && wholeSteps) {
                byAuditor
                        .computeIfAbsent(Hashing.sha256(finding.auditor().orElseThrow()), any -> new LinkedHashSet<>())
                        .add(finding.unit());
            }
        }
        return Coverage.of(commitment(chain.last()).endStep(), 1, policy().minimumReplicas(), byAuditor);
    }

    /** Probability that the audits so far would have hit a run with this many bad units. */
    public double detectionPower(long badUnits) throws AttestationException {
        UnitPopulation population = population();
        long audited = Math.min(reproducedUnits().size(), population.size());
        return DetectionPower.hit(population.size(), Math.min(badUnits, population.size()), audited);
    }

    /** The highest level whose claim holds. */
    public AssuranceLevel level() {
        List<ChallengeFinding> counting =
                challenges.stream().filter(ChallengeFinding::counts).toList();
        boolean independent = policy().beaconMode() != BeaconMode.VRF_ONLY;
        boolean portable = verdicts.stream()
                .filter(VerdictFinding::covers)
                .allMatch(finding -> ProfileId.PORTABLE.contains(
                        finding.logged().statement().report().profile()));
        return AssuranceLevel.of(new AssuranceLevel.Evidence(
                !counting.isEmpty(),
                independent,
                reproducedUnits().size(),
                portable,
                !failures().isEmpty() || drill().isPresent()));
    }
}
