package org.bitwitness.cli.audit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.log.LogReader;
import org.bitwitness.attestation.log.LogSources;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.verify.LogSurvey;
import org.bitwitness.attestation.verify.RunEvidence;
import org.bitwitness.attestation.verify.VerdictFinding;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.protocol.EvidenceGrade;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.format.Json;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bitwitness audit report}: what the whole log proves about runs. */
@Command(
        name = "report",
        description = {
            "Read the whole log: verdicts, coverage, detection power, level, for each run.",
            "Exit 0: nothing failed; 2: an accepted auditor found other bits; 3: undecided or unanswered units."
        },
        footerHeading = "%nExample:%n",
        footer = "  bitwitness audit report --log demo-out/log --trust demo-out/trust")
final class AuditReport extends BaseCommand {
    @Option(names = "--log", required = true, paramLabel = "URL|DIR", description = "The log.")
    private String log = "";

    @Option(names = "--trust", required = true, paramLabel = "DIR", description = "Folder with policy.txt and keys.")
    private Path trust = Path.of("");

    @Option(names = "--run", paramLabel = "RUNID", description = "Only this run: the id, or the first digits of it.")
    private Optional<String> run = Optional.empty();

    @Override
    protected CommandResult execute(CommandIo io) throws Exception {
        TrustPolicy policy = CommandFailure.own(() -> TrustPolicy.load(trust));
        LogSurvey survey = LogSurvey.read(LogReader.open(LogSources.at(log), policy.witnesses()), policy);
        return report(survey);
    }

    private CommandResult report(LogSurvey survey) throws AttestationException {
        List<Json> runs = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        List<ExitCode> codes = new ArrayList<>();
        for (RunId id : survey.runs()) {
            if (run.isEmpty() || id.hex().startsWith(run.get())) {
                try {
                    RunEvidence evidence = RunEvidence.of(survey, id);
                    runs.add(document(evidence));
                    lines.addAll(lines(evidence));
                    codes.add(exitCode(evidence));
                } catch (AttestationException e) {
                    runs.add(Json.object()
                            .put("runId", id.hex())
                            .put("refused", e.getMessage())
                            .build());
                    lines.add("run " + id + ": " + e.getMessage());
                    // Anybody may log a run that contradicts itself; that is no failure of those you trust.
                    boolean strangers =
                            e.kind() != AttestationException.Kind.INCONCLUSIVE && !survey.isByAcceptedTrainer(id);
                    codes.add(strangers ? ExitCode.OK : ExitCode.of(e.kind()));
                }
            }
        }
        if (runs.isEmpty()) {
            throw AttestationException.refused("log %s has no commitment%s"
                    .formatted(
                            survey.log().origin(),
                            run.map(text -> " of run " + text).orElse("")));
        }
        Json.Obj document = Json.object()
                .put("origin", survey.log().origin())
                .put("entries", survey.log().size())
                .put("runs", new Json.Arr(runs))
                .build();
        return CommandResult.of(ExitCode.worstOf(codes), document, lines);
    }

    private static ExitCode exitCode(RunEvidence evidence) {
        if (!evidence.failures().isEmpty() || evidence.drill().isPresent()) {
            return ExitCode.REFUSED;
        }
        boolean open = !evidence.undecided().isEmpty() || !evidence.unanswered().isEmpty();
        return open ? ExitCode.INCONCLUSIVE : ExitCode.OK;
    }

    private static Json.Obj document(RunEvidence evidence) throws AttestationException {
        List<Json> verdicts = new ArrayList<>();
        for (VerdictFinding finding : evidence.verdicts()) {
            Json.Builder verdict = Json.object()
                    .put("unit", finding.unit().text())
                    .put("verdict", finding.verdict().name())
                    .put("auditor", finding.auditor().orElse(""))
                    .put("auditorKey", finding.logged().signer().id().hex())
                    .put("choice", finding.choice().name())
                    .put("counts", finding.covers())
                    .put("logIndex", finding.logged().index());
            finding.fault().ifPresent(fault -> verdict.put("fault", fault));
            culprit(finding.logged().statement().report()).ifPresent(text -> verdict.put("culprit", text));
            verdicts.add(verdict.build());
        }
        return Json.object()
                .put("runId", evidence.chain().runId().hex())
                .put("trainer", evidence.trainer().orElse(""))
                .put("level", evidence.level().name())
                .put("units", evidence.population().size())
                .put("reproducedUnits", evidence.reproducedUnits().size())
                .put("steps", evidence.coverage().steps())
                .put("coveredSteps", evidence.coverage().coveredSteps())
                .put("requiredReplicas", evidence.coverage().requiredReplicas())
                .put("detectionPowerOneBad", evidence.detectionPower(1))
                .put("detectionPowerTenPercentBad", evidence.detectionPower(tenPercent(evidence)))
                .put("failures", evidence.failures().size())
                .put("unanswered", Json.texts(evidence.unanswered()))
                .put(
                        "otherRunsOfTrainer",
                        Json.texts(evidence.siblings().stream().map(RunId::hex).toList()))
                .put("verdicts", new Json.Arr(verdicts))
                .build();
    }

    private static long tenPercent(RunEvidence evidence) throws AttestationException {
        return Math.max(1, Math.round(0.1 * evidence.population().size()));
    }

    /** Who is named, and only where bits differ on committed inputs or a majority of replicas says so. */
    static Optional<String> culprit(ReplayReport report) {
        if (report.verdict() != Verdict.DIVERGED
                || !report.grade().map(EvidenceGrade::mayNameCulprit).orElse(false)) {
            return Optional.empty();
        }
        return report.firstDifference().map(difference -> difference.place());
    }

    private static List<String> lines(RunEvidence evidence) throws AttestationException {
        List<String> lines = new ArrayList<>();
        lines.add("@|bold run %s|@  %s (%s)"
                .formatted(
                        shortened(evidence.chain().runId().digest()),
                        evidence.level(),
                        evidence.level().claim()));
        lines.add(String.format(
                Locale.ROOT,
                "  %d of %d units reproduced, %d of %d steps covered by %d or more auditors",
                evidence.reproducedUnits().size(),
                evidence.population().size(),
                evidence.coverage().coveredSteps(),
                evidence.coverage().steps(),
                evidence.coverage().requiredReplicas()));
        lines.add(power(evidence));
        for (VerdictFinding finding : evidence.verdicts()) {
            lines.add("  entry %-5d %-14s %-12s %s%s"
                    .formatted(
                            finding.logged().index(),
                            finding.unit().text(),
                            finding.verdict(),
                            finding.auditor().orElse("unknown key"),
                            remark(finding)));
        }
        evidence.unanswered().forEach(unit -> lines.add("  unanswered  " + unit));
        return lines;
    }

    private static String power(RunEvidence evidence) throws AttestationException {
        long tenth = tenPercent(evidence);
        String one = String.format(
                Locale.ROOT,
                "  these audits hit a run with 1 bad unit with probability %.4f",
                evidence.detectionPower(1));
        return tenth == 1
                ? one
                : one + String.format(Locale.ROOT, ", with %d bad units %.4f", tenth, evidence.detectionPower(tenth));
    }

    private static String remark(VerdictFinding finding) {
        String choice = switch (finding.choice()) {
            case DRAWN -> "";
            case SPOT -> ", spot check";
            case CLAIMED -> ", not drawn";
        };
        String culprit = culprit(finding.logged().statement().report())
                .map(place -> ": " + place)
                .orElse("");
        return choice
                + culprit
                + finding.fault().map(fault -> " (" + fault + ")").orElse("");
    }

    private static String shortened(Sha256 digest) {
        return digest.hex().substring(0, 16);
    }
}
