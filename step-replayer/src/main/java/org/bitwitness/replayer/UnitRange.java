package org.bitwitness.replayer;

import java.util.List;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;

/** Which units a run has, found without computing: a request outside is refused before the self-test takes its time. */
final class UnitRange {
    private UnitRange() {}

    /** @throws ReplayException with what the run has, if the unit is outside */
    static void require(CommittedRun run, AuditUnit unit) throws ReplayException {
        switch (unit) {
            case AuditUnit.Init _ -> {}
            case AuditUnit.Data data -> requireShard(run, data.shard());
            case AuditUnit.Gradient gradient -> {
                requireStep(run, gradient.step());
                requireWorker(run, gradient);
            }
            case AuditUnit.Reduce reduce -> requireStep(run, reduce.step());
            case AuditUnit.Update update -> requireStep(run, update.step());
            case AuditUnit.Step step -> requireStep(run, step.step());
            case AuditUnit.Segment segment ->
                requireStep(run, new StepIndex(segment.steps().endStep() - 1));
            case AuditUnit.Final _ -> requireFinal(run);
        }
    }

    static void requireStep(CommittedRun run, StepIndex step) throws ReplayException {
        if (step.value() >= run.endStep()) {
            throw new ReplayException("step %s is not committed: this run has steps 0 to %d under commitment %d"
                    .formatted(step, run.endStep() - 1, run.commitment().sequence()));
        }
    }

    static void requireFinal(CommittedRun run) throws ReplayException {
        if (!run.commitment().isFinal()) {
            throw new ReplayException(
                    "the run has no final commitment yet, so it has no unit FINAL; it has steps 0 to %d"
                            .formatted(run.endStep() - 1));
        }
    }

    private static void requireWorker(CommittedRun run, AuditUnit.Gradient gradient) throws ReplayException {
        List<WorkerId> workers = workers(run, gradient.step());
        if (!workers.contains(gradient.worker())) {
            throw new ReplayException(
                    "step %s has workers %s, not %s".formatted(gradient.step(), workers, gradient.worker()));
        }
    }

    private static List<WorkerId> workers(CommittedRun run, StepIndex step) throws ReplayException {
        if (run.descriptor().elastic().isEmpty()) {
            return run.descriptor().layout().workers();
        }
        try {
            return run.record(step).layout().workers();
        } catch (StoreDamage e) {
            throw new ReplayException(e.reason(), e);
        }
    }

    private static void requireShard(CommittedRun run, String name) throws ReplayException {
        try {
            DataUnit.shard(run.dataset(), name);
        } catch (StoreDamage e) {
            // The replay of the unit says so, as its verdict.
            return;
        }
    }
}
