package org.bitwitness.attestation.verify;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.statement.TrainingCommitmentStatement;
import org.bitwitness.attestation.trust.VerifiedCheckpoint;
import org.bitwitness.attestation.trust.WitnessIdentity;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.FirstDifference;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.audit.AssuranceLevel;
import org.bitwitness.protocol.audit.Coverage;
import org.bitwitness.protocol.record.Commitment;

/**
 * {@link RunEvidence} in sentences, the same on the command line and on a page.
 *
 * @param sentence the one line a visitor reads: {@code 12 of 62 units audited, all reproduced}
 * @param level never shown without coverage and detection power, which stand in {@code proven}
 * @param proven what log and trust folder support
 * @param notProven what a reader might wrongly take for proven
 */
public record RunSummary(
        String sentence, Outcome outcome, AssuranceLevel level, List<String> proven, List<String> notProven) {
    /** What a command's exit code says. */
    public enum Outcome {
        /** A trusted trainer's run of which drawn units reproduced and none failed. */
        VERIFIED,
        /** An accepted auditor found other bits, or the run is known to be a drill. */
        FAILED,
        /** Neither: not audited, or by nobody the verifier trusts. */
        UNDECIDED
    }

    private static final int MOST_LISTED = 10;

    public RunSummary {
        proven = List.copyOf(proven);
        notProven = List.copyOf(notProven);
    }

    /** Puts a run's evidence into words. */
    public static RunSummary of(RunEvidence evidence, VerifiedCheckpoint checkpoint) throws AttestationException {
        return new RunSummary(
                sentence(evidence),
                outcome(evidence),
                evidence.level(),
                proven(evidence, checkpoint),
                notProven(evidence));
    }

    private static Outcome outcome(RunEvidence evidence) {
        if (!evidence.failures().isEmpty() || evidence.drill().isPresent()) {
            return Outcome.FAILED;
        }
        boolean audited = !evidence.reproducedUnits().isEmpty();
        return audited && evidence.trainer().isPresent() ? Outcome.VERIFIED : Outcome.UNDECIDED;
    }

    private static String sentence(RunEvidence evidence) throws AttestationException {
        String audits = audits(evidence);
        return evidence.drill()
                .map(drill -> "%s: do not use its model; %s".formatted(drill.sentence(), audits))
                .orElse(audits);
    }

    private static String audits(RunEvidence evidence) throws AttestationException {
        long population = evidence.population().size();
        int reproduced = evidence.reproducedUnits().size();
        if (!evidence.failures().isEmpty()) {
            return "%s; %d of %d units audited and reproduced"
                    .formatted(
                            evidence.failures().stream()
                                    .map(RunSummary::failure)
                                    .distinct()
                                    .collect(Collectors.joining("; ")),
                            reproduced,
                            population);
        }
        return reproduced == 0
                ? "none of %d units audited yet".formatted(population)
                : "%d of %d units audited, all reproduced".formatted(reproduced, population);
    }

    /** {@code STEP(3) DIVERGED at step 3, worker 2, operator accumulate}. */
    public static String failure(VerdictFinding finding) {
        Optional<FirstDifference> difference =
                finding.logged().statement().report().firstDifference();
        return "%s DIVERGED%s"
                .formatted(
                        finding.unit().text(),
                        difference.map(place -> " at " + place.place()).orElse(""));
    }

    private static List<String> proven(RunEvidence evidence, VerifiedCheckpoint checkpoint)
            throws AttestationException {
        List<String> lines = new ArrayList<>();
        Logged<TrainingCommitmentStatement> last = evidence.chain().last();
        Commitment commitment = last.statement().commitment();
        lines.add("trainer %s signed %d commitments; the newest (%s) is over %d steps%s"
                .formatted(
                        named(
                                evidence.trainer(),
                                evidence.chain().trainer().id().hex()),
                        evidence.chain().commitments().size(),
                        commitment.digest(),
                        commitment.endStep(),
                        commitment.isFinal() ? " and final" : " and not final"));
        lines.add("it is entry %d of log %s; the log's checkpoint of %d entries is cosigned by %s"
                .formatted(
                        last.index(),
                        checkpoint.checkpoint().origin(),
                        checkpoint.checkpoint().size(),
                        witnesses(checkpoint)));
        lines.add(howChosen(evidence));
        lines.add(verdictCounts(evidence));
        lines.add("level %s: %s".formatted(evidence.level(), evidence.level().claim()));
        Coverage coverage = evidence.coverage();
        lines.add("coverage: %d of %d steps reproduced by %d or more accepted auditors"
                .formatted(coverage.coveredSteps(), coverage.steps(), coverage.requiredReplicas()));
        lines.add(power(evidence));
        return lines;
    }

    private static String howChosen(RunEvidence evidence) {
        TreeSet<String> auditors = evidence.challenges().stream()
                .filter(ChallengeFinding::counts)
                .flatMap(finding -> finding.auditor().stream())
                .collect(Collectors.toCollection(TreeSet::new));
        return auditors.isEmpty()
                ? "no units were drawn by an auditor you accept"
                : "units were drawn after the commitment was logged, beacon %s, by %s; drawing again gives the same"
                        .formatted(evidence.policy().beaconMode().text(), String.join(", ", auditors));
    }

    private static String verdictCounts(RunEvidence evidence) {
        List<String> parts = new ArrayList<>();
        for (Verdict verdict : Verdict.values()) {
            long drawn = count(evidence, verdict, VerdictFinding.Choice.DRAWN);
            long spot = count(evidence, verdict, VerdictFinding.Choice.SPOT);
            if (drawn + spot > 0) {
                parts.add("%d %s (%d drawn, %d by spot check)".formatted(drawn + spot, verdict, drawn, spot));
            }
        }
        return "verdicts of accepted auditors: " + (parts.isEmpty() ? "none" : String.join(", ", parts));
    }

    private static long count(RunEvidence evidence, Verdict verdict, VerdictFinding.Choice choice) {
        return evidence.verdicts().stream()
                .filter(finding ->
                        finding.auditor().isPresent() && finding.verdict() == verdict && finding.choice() == choice)
                .count();
    }

    private static String power(RunEvidence evidence) throws AttestationException {
        long population = evidence.population().size();
        long tenth = population / 10;
        String one = "detection power: these audits hit a run with 1 bad unit of %d with probability %s"
                .formatted(population, percent(evidence.detectionPower(1)));
        return tenth <= 1
                ? one
                : one + ", with %d bad units %s".formatted(tenth, percent(evidence.detectionPower(tenth)));
    }

    private static String percent(double probability) {
        return String.format(Locale.ROOT, "%.1f %%", 100 * probability);
    }

    private static List<String> notProven(RunEvidence evidence) throws AttestationException {
        List<String> lines = new ArrayList<>();
        if (evidence.trainer().isEmpty()) {
            lines.add("who the trainer is: your trust folder does not name key "
                    + evidence.chain().trainer().id());
        }
        if (!evidence.chain().isFinished()) {
            lines.add("that the run was finished: there is no final commitment");
        }
        long left = evidence.population().size() - evidence.reproducedUnits().size();
        if (left > 0) {
            lines.add("anything about the %d units that were not audited".formatted(left));
        }
        if (evidence.challenges().stream().noneMatch(ChallengeFinding::counts)) {
            lines.add("that the trainer would stand an audit: no auditor you accept has drawn units from this run yet;"
                    + " bitwitness monitor says NOT_CHALLENGED when none has by the deadline of "
                    + evidence.policy().deadlineText());
        }
        listed(
                lines,
                "drawn units without a verdict (INCONCLUSIVE once their deadline of %s is over)"
                        .formatted(evidence.policy().deadlineText()),
                evidence.unanswered());
        listed(
                lines,
                "verdicts that could not decide",
                evidence.undecided().stream()
                        .map(finding -> "%s (entry %d)"
                                .formatted(
                                        finding.unit().text(), finding.logged().index()))
                        .toList());
        listed(lines, "verdicts that count for nothing", uncounted(evidence));
        if (!evidence.siblings().isEmpty()) {
            lines.add("that this is the trainer's only try: %d other runs on the same dataset (%s)"
                    .formatted(
                            evidence.siblings().size(),
                            evidence.siblings().stream()
                                    .limit(3)
                                    .map(RunId::hex)
                                    .map(hex -> hex.substring(0, 12) + "…")
                                    .collect(Collectors.joining(", "))));
        }
        for (RunEvidence.Drill drill : evidence.drills()) {
            if (!drill.believed()) {
                lines.add("that this run is not what key %s, which you do not know, says it is: %s"
                        .formatted(drill.finding().opening().signer().id(), drill.sentence()));
            }
        }
        lines.add("that a recording on your disk is the committed one: bitwitness run verify checks that");
        lines.add(
                "that auditors computed and did not copy: bitwitness audit cross-check computes their replay proofs again");
        lines.add(
                "that auditors are independent of each other and of the trainer: your trust folder decides who counts");
        lines.add("that the data is harmless or rightly used: a replay repeats whatever was committed");
        return lines;
    }

    private static List<String> uncounted(RunEvidence evidence) {
        List<String> lines = new ArrayList<>();
        for (VerdictFinding finding : evidence.verdicts()) {
            String what = "%s %s (entry %d)"
                    .formatted(
                            finding.unit().text(),
                            finding.verdict(),
                            finding.logged().index());
            if (finding.fault().isPresent()) {
                lines.add(what + ": " + finding.fault().get());
            } else if (finding.auditor().isEmpty()) {
                lines.add(what + " by a key you do not accept");
            }
        }
        for (ChallengeFinding finding : evidence.challenges()) {
            if (finding.auditor().isPresent() && finding.fault().isPresent()) {
                lines.add("challenge (entry %d): %s"
                        .formatted(finding.logged().index(), finding.fault().get()));
            }
        }
        return lines;
    }

    private static void listed(List<String> lines, String what, List<String> items) {
        if (!items.isEmpty()) {
            String more = items.size() > MOST_LISTED ? " and %d more".formatted(items.size() - MOST_LISTED) : "";
            lines.add("%s: %s%s"
                    .formatted(what, items.stream().limit(MOST_LISTED).collect(Collectors.joining("; ")), more));
        }
    }

    /** Witnesses by name, with the latest time: {@code w1, w2 (2026-01-02T03:04:05Z)}. */
    public static String witnesses(VerifiedCheckpoint checkpoint) {
        String names = checkpoint.cosignatures().keySet().stream()
                .map(WitnessIdentity::name)
                .collect(Collectors.joining(", "));
        return checkpoint.witnessedAt().map(time -> names + " (" + time + ")").orElse("nobody");
    }

    private static String named(Optional<String> name, String id) {
        return name.map(known -> known + " (key " + id + ")").orElse("of key " + id);
    }

    /** Units that a page lists as reproduced. */
    public static List<String> unitTexts(RunEvidence evidence) {
        return evidence.reproducedUnits().stream().map(AuditUnit::text).toList();
    }
}
