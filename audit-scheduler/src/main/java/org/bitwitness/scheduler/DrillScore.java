package org.bitwitness.scheduler;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bitwitness.attestation.statement.AuditVerdictStatement;
import org.bitwitness.attestation.verify.DrillFinding;
import org.bitwitness.attestation.verify.LogSurvey;
import org.bitwitness.attestation.verify.Logged;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.CommitmentDigest;
import org.bitwitness.protocol.FirstDifference;
import org.bitwitness.protocol.Phase;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.record.PlantedFault;
import org.bitwitness.replayer.CommittedRun;
import org.bitwitness.replayer.EngineFactory;
import org.bitwitness.replayer.ProgressListener;
import org.bitwitness.replayer.ReplayException;
import org.bitwitness.replayer.ReplayOptions;
import org.bitwitness.replayer.UnitReplayer;

/**
 * Who named the faults of a drill, and who said that they reproduce. Only verdicts that were logged before the opening
 * count, since the faults are public after it; and only faults that a replay finds here count against anybody, since
 * whoever plants faults may lie about them.
 */
public final class DrillScore {
    private DrillScore() {}

    /** What one verdict says about one planted fault. */
    public enum Outcome {
        /** It diverged at that fault, and everything that the report says about the place is right. */
        NAMED,
        /** It diverged in the step of that fault, at another place. */
        ELSEWHERE,
        /** It diverged in a step without a planted fault. */
        FALSE_ALARM,
        /** It reproduced although the unit holds the fault: this auditor did not replay it. */
        MISSED,
        /** It decided nothing about a unit that holds the fault. */
        UNDECIDED
    }

    /**
     * A verdict held against the list.
     *
     * @param auditor its name where the reader accepts it; verdicts of others are shown and count for nothing
     * @param fault empty for a false alarm
     */
    public record Row(
            Logged<AuditVerdictStatement> verdict,
            Optional<String> auditor,
            Optional<PlantedFault> fault,
            Outcome outcome) {}

    /** A fault, and what replaying its step here gave. */
    public record Checked(PlantedFault fault, ReplayReport replay) {
        /** Whether the fault is where the opening says. */
        public boolean holds() {
            return replay.verdict() == Verdict.DIVERGED
                    && agrees(replay.firstDifference().orElseThrow(), fault);
        }
    }

    /** Replays the step of every planted fault. */
    public static List<Checked> check(
            Path recording, DrillFinding drill, ReplayOptions machine, ProgressListener progress)
            throws ReplayException {
        List<Checked> checked = new ArrayList<>();
        Optional<CommitmentDigest> last =
                Optional.of(drill.chain().last().statement().commitment().digest());
        try (CommittedRun run = CommittedRun.open(recording, last)) {
            UnitReplayer replayer = new UnitReplayer(run, EngineFactory.STANDARD, machine, InstantSource.system());
            for (PlantedFault fault : drill.opening().statement().drill().faults()) {
                checked.add(new Checked(fault, replayer.replay(new AuditUnit.Step(fault.step()), progress)));
            }
        }
        return checked;
    }

    /** What every verdict on the run that was logged before the opening says about the faults, in log order. */
    public static List<Row> rows(LogSurvey survey, DrillFinding drill) {
        RunId run = drill.opening().statement().runId();
        List<Row> rows = new ArrayList<>();
        for (Logged<AuditVerdictStatement> verdict : survey.verdicts()) {
            if (verdict.statement().basis().runId().equals(run)
                    && verdict.index() < drill.opening().index()) {
                Optional<String> auditor = survey.registry().auditorName(verdict.signer(), verdict.index());
                rows.addAll(rows(
                        verdict, auditor, drill.opening().statement().drill().faults()));
            }
        }
        return rows;
    }

    static List<Row> rows(Logged<AuditVerdictStatement> verdict, Optional<String> auditor, List<PlantedFault> faults) {
        ReplayReport report = verdict.statement().report();
        if (report.verdict() == Verdict.DIVERGED) {
            FirstDifference where = report.firstDifference().orElseThrow();
            Optional<PlantedFault> hit = faults.stream()
                    .filter(fault -> where.step().equals(Optional.of(fault.step())))
                    .findFirst();
            Outcome outcome = hit.map(fault -> agrees(where, fault) ? Outcome.NAMED : Outcome.ELSEWHERE)
                    .orElse(Outcome.FALSE_ALARM);
            return List.of(new Row(verdict, auditor, hit, outcome));
        }
        Outcome outcome = report.verdict() == Verdict.REPRODUCED ? Outcome.MISSED : Outcome.UNDECIDED;
        return faults.stream()
                .filter(fault -> holds(report.unit(), fault))
                .map(fault -> new Row(verdict, auditor, Optional.of(fault), outcome))
                .toList();
    }

    /** A report may say less about a place than the list does, and nothing else. */
    private static boolean agrees(FirstDifference where, PlantedFault fault) {
        return where.step().equals(Optional.of(fault.step()))
                && where.phase().map(fault.phase()::equals).orElse(true)
                && (where.worker().isEmpty() || where.worker().equals(fault.worker()));
    }

    /**
     * Whether no replay of the unit by its definition can miss the fault. A unit that some ways of replaying pass and
     * others do not, such as an update whose gradient may be read or computed, holds nothing against an auditor.
     */
    static boolean holds(AuditUnit unit, PlantedFault fault) {
        return switch (unit) {
            case AuditUnit.Init _, AuditUnit.Data _, AuditUnit.Final _ -> false;
            case AuditUnit.Gradient gradient ->
                gradient.step().equals(fault.step()) && fault.worker().equals(Optional.of(gradient.worker()));
            case AuditUnit.Reduce reduce -> reduce.step().equals(fault.step()) && fault.phase() == Phase.REDUCE;
            case AuditUnit.Update update -> update.step().equals(fault.step()) && fault.phase() == Phase.UPDATE;
            case AuditUnit.Step step -> step.step().equals(fault.step());
            case AuditUnit.Segment segment ->
                segment.steps().firstStep() <= fault.step().value()
                        && fault.step().value() < segment.steps().endStep();
        };
    }
}
