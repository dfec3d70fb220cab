package org.bitwitness.cli.drill;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bitwitness.attestation.verify.DrillFinding;
import org.bitwitness.protocol.FirstDifference;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.PlantedFaultJson;
import org.bitwitness.protocol.format.ReplayReportJson;
import org.bitwitness.protocol.record.PlantedFault;
import org.bitwitness.scheduler.DrillScore;
import org.bitwitness.scheduler.DrillScore.Checked;
import org.bitwitness.scheduler.DrillScore.Outcome;
import org.bitwitness.scheduler.DrillScore.Row;

/** Drills and scores as a person reads them, and as JSON. */
final class DrillText {
    private DrillText() {}

    static String headline(DrillFinding drill) {
        return "run %s: %d faults, committed at entry %d, begun at entry %d, opened at entry %d"
                .formatted(
                        drill.opening().statement().runId(),
                        drill.opening().statement().drill().faults().size(),
                        drill.commitment().index(),
                        drill.chain().open().index(),
                        drill.opening().index());
    }

    static Json.Obj document(DrillFinding drill) {
        List<Json> faults = new ArrayList<>();
        drill.opening().statement().drill().faults().forEach(fault -> faults.add(PlantedFaultJson.toJson(fault)));
        return Json.object()
                .put("commitmentLogIndex", drill.commitment().index())
                .put("drillCommitment", drill.commitment().statement().drill().hex())
                .put("faults", new Json.Arr(faults))
                .put("openLogIndex", drill.chain().open().index())
                .put("openingLogIndex", drill.opening().index())
                .put("organiser", drill.opening().signer().id().hex())
                .put("runId", drill.opening().statement().runId().hex())
                .build();
    }

    static Json.Obj document(DrillFinding.Refused refused) {
        return Json.object()
                .put("openingLogIndex", refused.opening().index())
                .put("reason", refused.fault())
                .build();
    }

    /** {@code step 17, worker 2, emit: gradient times 1.5}. */
    static String text(PlantedFault fault) {
        return "step %s%s, phase %s: %s"
                .formatted(
                        fault.step(),
                        fault.worker().map(worker -> ", worker " + worker).orElse(""),
                        fault.phase().text(),
                        fault.story());
    }

    static String line(Checked checked) {
        ReplayReport replay = checked.replay();
        String found = replay.firstDifference()
                .map(FirstDifference::place)
                .or(replay::reason)
                .map(place -> " " + place)
                .orElse("");
        return "planted    %s%n             %s: %s%s"
                .formatted(
                        text(checked.fault()),
                        checked.holds() ? "a replay here finds it" : "A REPLAY HERE DOES NOT FIND IT",
                        replay.verdict(),
                        found);
    }

    static Json.Obj document(Checked checked) {
        return Json.object()
                .put("fault", PlantedFaultJson.toJson(checked.fault()))
                .put("holds", checked.holds())
                .put("replay", ReplayReportJson.toJson(checked.replay()))
                .build();
    }

    static String line(Row row) {
        ReplayReport report = row.verdict().statement().report();
        return "%-16s entry %-5d %-14s %-12s %-11s %s"
                .formatted(
                        row.auditor().orElse("unknown key"),
                        row.verdict().index(),
                        report.unit().text(),
                        report.verdict(),
                        word(row.outcome()),
                        row.fault()
                                .map(DrillText::text)
                                .orElseGet(() -> report.firstDifference()
                                        .map(FirstDifference::place)
                                        .orElse("")));
    }

    private static String word(Outcome outcome) {
        return switch (outcome) {
            case NAMED -> "named";
            case ELSEWHERE -> "OTHER PLACE";
            case FALSE_ALARM -> "NOT PLANTED";
            case MISSED -> "NO REPLAY";
            case UNDECIDED -> "undecided";
        };
    }

    static Json.Obj document(Row row) {
        ReplayReport report = row.verdict().statement().report();
        Json.Builder out = Json.object()
                .put("auditor", row.auditor().orElse(""))
                .put("auditorKey", row.verdict().signer().id().hex())
                .put("logIndex", row.verdict().index())
                .put("outcome", row.outcome().name())
                .put("unit", report.unit().text())
                .put("verdict", report.verdict().name());
        row.fault().ifPresent(fault -> out.put("fault", PlantedFaultJson.toJson(fault)));
        Optional<FirstDifference> where = report.firstDifference();
        where.ifPresent(difference -> out.put("place", difference.place()));
        return out.build();
    }

    /** What one auditor is worth after this drill. */
    static String line(String auditor, List<Row> rows) {
        return "%-16s %d named, %d said to reproduce, %d at another place, %d not planted, %d undecided"
                .formatted(
                        auditor,
                        count(rows, DrillScore.Outcome.NAMED),
                        count(rows, DrillScore.Outcome.MISSED),
                        count(rows, DrillScore.Outcome.ELSEWHERE),
                        count(rows, DrillScore.Outcome.FALSE_ALARM),
                        count(rows, DrillScore.Outcome.UNDECIDED));
    }

    static long count(List<Row> rows, Outcome outcome) {
        return rows.stream().filter(row -> row.outcome() == outcome).count();
    }
}
