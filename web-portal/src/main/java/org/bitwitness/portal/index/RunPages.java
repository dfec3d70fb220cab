package org.bitwitness.portal.index;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.verify.ChallengeFinding;
import org.bitwitness.attestation.verify.RunEvidence;
import org.bitwitness.attestation.verify.VerdictFinding;
import org.bitwitness.portal.view.RunPage;
import org.bitwitness.portal.view.RunPage.ChallengeRow;
import org.bitwitness.portal.view.RunPage.CommitmentRow;
import org.bitwitness.portal.view.RunPage.CoverageStrip;
import org.bitwitness.portal.view.RunPage.Difference;
import org.bitwitness.portal.view.RunPage.OtherRun;
import org.bitwitness.portal.view.RunPage.PowerRow;
import org.bitwitness.portal.view.RunPage.ReleasedFile;
import org.bitwitness.portal.view.RunPage.Units;
import org.bitwitness.portal.view.RunPage.VerdictRow;
import org.bitwitness.protocol.Confirmation;
import org.bitwitness.protocol.EvidenceGrade;
import org.bitwitness.protocol.FirstDifference;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.audit.AssuranceLevel;
import org.bitwitness.protocol.audit.Coverage;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.protocol.record.OpenExt;

/** Makes the page of a run from what the log proves about it. */
final class RunPages {
    private static final String NOT_KNOWN = "not known";
    private static final int MAX_LOSS_POINTS = 100_000;

    private RunPages() {}

    /**
     * The page of one run.
     *
     * @param recording of that run, where the portal has it
     */
    static RunPage of(RunEvidence evidence, Optional<RecordingReader> recording)
            throws AttestationException, ProtocolException {
        Commitment last = evidence.chain().last().statement().commitment();
        OpenExt open = evidence.chain().open().statement().commitment().open().orElseThrow();
        Coverage coverage = evidence.coverage();
        Units units = units(evidence);
        AssuranceLevel level = evidence.level();
        return new RunPage(
                last.runId().hex(),
                RunSentences.headline(evidence, units),
                level.name(),
                level.claim(),
                !evidence.failures().isEmpty() || evidence.drill().isPresent(),
                last.endStep(),
                evidence.chain().trainer().id().hex(),
                recording.map(reader -> reader.descriptor().profile().toString()),
                open.datasetRoot().hex(),
                open.descriptorDigest().hex(),
                last.stateRoot().hex(),
                units,
                new CoverageStrip(
                        Strips.of(last.endStep(), evidence.verdicts()),
                        coverage.coveredSteps(),
                        coverage.requiredReplicas()),
                detectionPower(evidence, units.population()),
                recording.isEmpty() ? List.of() : loss(recording.get()),
                commitments(evidence),
                evidence.challenges().stream().map(RunPages::challenge).toList(),
                evidence.verdicts().stream().map(RunPages::verdict).toList(),
                evidence.chain().released().stream()
                        .map(file ->
                                new ReleasedFile(file.path().text().substring("released/".length()), file.sha256()))
                        .toList(),
                evidence.challenges().isEmpty()
                        ? List.of()
                        : List.of(evidence.policy().beaconMode().text()),
                evidence.siblings().stream()
                        .map(run -> new OtherRun(run.hex(), ""))
                        .toList(),
                RunSentences.proven(evidence, coverage),
                RunSentences.notProven(evidence));
    }

    /** The page of a run whose entries in the log contradict each other. */
    static RunPage unjudged(RunId runId, String why) {
        return new RunPage(
                runId.hex(),
                "This run cannot be judged: " + why,
                AssuranceLevel.BW0.name(),
                "nothing is claimed while the run's log entries cannot be judged",
                false,
                0,
                NOT_KNOWN,
                Optional.empty(),
                NOT_KNOWN,
                NOT_KNOWN,
                NOT_KNOWN,
                new Units(0, 0, 0, 0, 0, 0),
                new CoverageStrip("", 0, 1),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(why));
    }

    /** Fills in what the pages of other runs say. */
    static List<RunPage> withOtherRuns(List<RunPage> pages) {
        Map<String, RunPage> byId =
                pages.stream().collect(Collectors.toMap(RunPage::runId, Function.identity(), (a, b) -> a));
        return pages.stream()
                .map(page -> page.withOtherRuns(page.otherRuns().stream()
                        .map(other -> Optional.ofNullable(byId.get(other.runId()))
                                .map(known -> new OtherRun(known.runId(), known.sentence()))
                                .orElse(other))
                        .toList()))
                .toList();
    }

    private static Units units(RunEvidence evidence) throws AttestationException {
        List<VerdictFinding> drawn = evidence.verdicts().stream()
                .filter(verdict -> verdict.auditor().isPresent() && verdict.choice() == VerdictFinding.Choice.DRAWN)
                .toList();
        long spot = evidence.verdicts().stream()
                .filter(verdict -> verdict.choice() == VerdictFinding.Choice.SPOT)
                .count();
        return new Units(
                evidence.population().size(),
                drawn.stream().map(VerdictFinding::unit).distinct().count(),
                evidence.reproducedUnits().size(),
                evidence.failures().stream()
                        .map(VerdictFinding::unit)
                        .distinct()
                        .count(),
                evidence.undecided().stream()
                        .map(VerdictFinding::unit)
                        .distinct()
                        .count(),
                spot);
    }

    private static List<PowerRow> detectionPower(RunEvidence evidence, long population) throws AttestationException {
        List<PowerRow> rows = new ArrayList<>();
        for (long bad : LongStream.of(1, 2, 5, 10, population / 4, population / 2)
                .filter(count -> count >= 1 && count <= population)
                .distinct()
                .sorted()
                .toArray()) {
            rows.add(new PowerRow(bad, evidence.detectionPower(bad)));
        }
        return rows;
    }

    /** JSON has no spelling for what an INVALID step may record. */
    private static List<Optional<Float>> loss(RecordingReader recording) throws ProtocolException {
        long steps = Math.min(recording.stepCount(), MAX_LOSS_POINTS);
        List<Optional<Float>> loss = new ArrayList<>();
        for (long step = 0; step < steps; step++) {
            loss.add(Optional.of(recording.stepRecord(new StepIndex(step)).loss())
                    .filter(Float::isFinite));
        }
        return loss;
    }

    private static List<CommitmentRow> commitments(RunEvidence evidence) {
        return evidence.chain().commitments().stream()
                .map(logged -> {
                    Commitment commitment = logged.statement().commitment();
                    return new CommitmentRow(
                            commitment.sequence(),
                            commitment.endStep(),
                            commitment.digest().hex(),
                            logged.index(),
                            commitment.isFinal());
                })
                .toList();
    }

    private static ChallengeRow challenge(ChallengeFinding finding) {
        return new ChallengeRow(
                finding.logged().signer().id().hex(),
                finding.logged().statement().beacon().mode().text()
                        + finding.fault()
                                .map(fault -> " (does not hold: " + fault + ")")
                                .orElse(""),
                finding.logged().index(),
                finding.logged().statement().units().stream()
                        .map(unit -> unit.text())
                        .toList());
    }

    private static VerdictRow verdict(VerdictFinding finding) {
        ReplayReport report = finding.logged().statement().report();
        return new VerdictRow(
                finding.unit().text(),
                finding.verdict().name(),
                report.grade().map(EvidenceGrade::name),
                finding.logged().signer().id().hex(),
                finding.choice() == VerdictFinding.Choice.DRAWN,
                report.backend(),
                report.confirmedBy().map(Confirmation::backend),
                report.firstDifference().map(RunPages::difference),
                reason(finding, report),
                finding.logged().index());
    }

    private static Optional<String> reason(VerdictFinding finding, ReplayReport report) {
        if (finding.auditor().isEmpty()) {
            return Optional.of("this portal does not know the auditor's key, so the verdict counts for nothing");
        }
        return finding.fault().or(report::reason);
    }

    private static Difference difference(FirstDifference first) {
        return new Difference(
                first.resolution().text(),
                first.step().map(StepIndex::value),
                first.worker().map(worker -> worker.value()),
                first.microBatch().isPresent() ? Optional.of(first.microBatch().getAsInt()) : Optional.empty(),
                first.operator(),
                first.tensor(),
                first.index().isPresent() ? Optional.of(first.index().getAsLong()) : Optional.empty(),
                first.expectedBits(),
                first.computedBits());
    }
}
