package org.bitwitness.cli.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.verify.RunEvidence;
import org.bitwitness.attestation.verify.VerdictFinding;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.Confirmation;
import org.bitwitness.protocol.FirstDifference;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.record.Commitment;

/**
 * What a demo came to, read from the log.
 *
 * @param finalStateRoot of the honest run; the same on every machine
 * @param drawn units that the auditors drew
 * @param reproduced verdicts on drawn units that count
 * @param culprit where the liar's run first differs; empty if it was not caught
 */
record DemoOutcome(
        String runId,
        String liarRunId,
        StateRoot finalStateRoot,
        List<String> drawn,
        long reproduced,
        long population,
        String level,
        double detectionPower,
        Optional<ReplayReport> culprit,
        DemoSize size) {

    static DemoOutcome of(DemoSize size, RunEvidence run, RunEvidence liar) throws AttestationException {
        List<String> drawn = run.challenges().stream()
                .filter(challenge -> challenge.counts())
                .flatMap(challenge -> challenge.logged().statement().units().stream())
                .map(AuditUnit::text)
                .toList();
        Commitment last = run.chain().last().statement().commitment();
        Optional<ReplayReport> culprit = liar.failures().stream()
                .map(failure -> failure.logged().statement().report())
                .filter(report -> namesTheLie(size, report))
                .findFirst();
        return new DemoOutcome(
                run.chain().runId().hex(),
                liar.chain().runId().hex(),
                last.stateRoot(),
                drawn,
                run.verdicts().stream().filter(VerdictFinding::covers).count(),
                run.population().size(),
                run.level().name(),
                run.detectionPower(1),
                culprit,
                size);
    }

    /** The lie was planted, so what must be found is known. */
    private static boolean namesTheLie(DemoSize size, ReplayReport report) {
        if (report.verdict() != Verdict.DIVERGED || report.firstDifference().isEmpty()) {
            return false;
        }
        FirstDifference first = report.firstDifference().get();
        return first.step().map(step -> step.value() == size.lieStep()).orElse(false)
                && first.worker()
                        .map(worker -> worker.value() == size.lieWorker())
                        .orElse(false)
                && first.operator().isPresent();
    }

    /** True when every drawn unit reproduced and the liar was caught. */
    boolean isGood() {
        return reproduced == drawn.size()
                && drawn.size() == size.unitsPerAuditor() * DemoSize.AUDITORS
                && culprit.isPresent();
    }

    ExitCode exitCode() {
        return isGood() ? ExitCode.OK : ExitCode.REFUSED;
    }

    /** The lines that end a demo. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "@|bold,green honest run|@  %d of %d drawn units REPRODUCED (of %d that could have been drawn), level %s",
                reproduced,
                drawn.size(),
                population,
                level));
        lines.add(culprit.map(report -> "@|bold,red liar|@        %s %s: %s (confirmed by the %s backend)"
                        .formatted(
                                report.verdict(),
                                report.unit().text(),
                                report.firstDifference().orElseThrow().place(),
                                report.confirmedBy().map(Confirmation::backend).orElse("no")))
                .orElse("@|bold,red the liar was not caught|@"));
        lines.add("final state root " + finalStateRoot.hex());
        return lines;
    }

    Json.Obj toJson(Map<String, Double> seconds) {
        Json.Builder times = Json.object();
        seconds.forEach(times::put);
        Json.Builder out = Json.object()
                .put("version", 1)
                .put("ok", isGood())
                .put("finalStateRoot", finalStateRoot.hex())
                .put("runId", runId)
                .put("liarRunId", liarRunId)
                .put("steps", size.steps())
                .put("workers", size.workers())
                .put("population", population)
                .put("units", Json.texts(drawn))
                .put(
                        "verdicts",
                        Json.object()
                                .put("REPRODUCED", reproduced)
                                .put("DIVERGED", culprit.isPresent() ? 1 : 0)
                                .put("missing", drawn.size() - reproduced)
                                .build())
                .put("level", level)
                .put("detectionPowerOfOneBadUnit", detectionPower);
        culprit.flatMap(ReplayReport::firstDifference).ifPresent(first -> out.put("culprit", culprit(first)));
        return out.put("seconds", times.build()).build();
    }

    private static Json.Obj culprit(FirstDifference first) {
        Json.Builder culprit = Json.object();
        first.step().ifPresent(step -> culprit.put("step", step.value()));
        first.worker().ifPresent(worker -> culprit.put("worker", worker.value()));
        first.operator().ifPresent(operator -> culprit.put("operator", operator));
        first.tensor().ifPresent(tensor -> culprit.put("tensor", tensor));
        return culprit.build();
    }
}
