package org.bitwitness.cli.verify;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.verify.LogSurvey;
import org.bitwitness.attestation.verify.RunEvidence;
import org.bitwitness.attestation.verify.RunSummary;
import org.bitwitness.attestation.verify.VerdictFinding;
import org.bitwitness.cli.support.ExitCode;

/** A judgement that rests on what a whole log says about runs. */
final class RunJudgement {
    private RunJudgement() {}

    /**
     * Judges a target by its runs.
     *
     * @param details of the target; the runs are added
     */
    static Judgement of(String target, LogSurvey log, List<RunEvidence> runs, Map<String, Object> details)
            throws AttestationException {
        List<String> headlines = new ArrayList<>();
        List<String> proven = new ArrayList<>();
        List<String> notProven = new ArrayList<>();
        List<ExitCode> codes = new ArrayList<>();
        List<Object> documents = new ArrayList<>();
        for (RunEvidence evidence : runs) {
            RunSummary summary = RunSummary.of(evidence, log.log().checkpoint());
            headlines.add("run %s: %s".formatted(evidence.chain().runId(), summary.sentence()));
            proven.addAll(summary.proven());
            notProven.addAll(summary.notProven());
            codes.add(exitCode(summary.outcome()));
            documents.add(document(evidence, summary));
        }
        Map<String, Object> all = new LinkedHashMap<>(details);
        all.put("log", log.log().origin());
        all.put("treeSize", log.log().size());
        all.put("runs", documents);
        return new Judgement(
                target,
                ExitCode.worstOf(codes),
                String.join(System.lineSeparator(), headlines),
                proven,
                notProven,
                all);
    }

    private static ExitCode exitCode(RunSummary.Outcome outcome) {
        return switch (outcome) {
            case VERIFIED -> ExitCode.OK;
            case FAILED -> ExitCode.REFUSED;
            case UNDECIDED -> ExitCode.INCONCLUSIVE;
        };
    }

    private static Map<String, Object> document(RunEvidence evidence, RunSummary summary) throws AttestationException {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("runId", evidence.chain().runId().hex());
        document.put("trainer", evidence.trainer().orElse(""));
        document.put("trainerKey", evidence.chain().trainer().id().hex());
        document.put(
                "commitment",
                evidence.chain().last().statement().commitment().digest().hex());
        document.put("commitmentLogIndex", evidence.chain().last().index());
        document.put("beaconMode", evidence.policy().beaconMode().text());
        document.put("outcome", summary.outcome().name());
        document.put("level", summary.level().name());
        document.put("units", evidence.population().size());
        document.put("unitsReproduced", RunSummary.unitTexts(evidence));
        document.put("coveredSteps", evidence.coverage().coveredSteps());
        document.put("steps", evidence.coverage().steps());
        document.put("detectionPowerOneBadUnit", evidence.detectionPower(1));
        List<Object> verdicts = new ArrayList<>();
        evidence.verdicts().forEach(finding -> verdicts.add(verdict(finding)));
        document.put("verdicts", verdicts);
        document.put("unanswered", evidence.unanswered());
        return document;
    }

    private static Map<String, Object> verdict(VerdictFinding finding) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("logIndex", finding.logged().index());
        document.put("unit", finding.unit().text());
        document.put("verdict", finding.verdict().name());
        document.put("auditor", finding.auditor().orElse(""));
        document.put("auditorKey", finding.logged().signer().id().hex());
        document.put("choice", finding.choice().name());
        finding.fault().ifPresent(fault -> document.put("fault", fault));
        return document;
    }
}
