package org.bitwitness.recorder.train;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.recorder.RecorderException;

/** Kills the process of worker 1 after a step. */
final class WorkerKiller implements TrainingListener {
    private static final int VICTIM = 1;

    private final List<ProcessHandle> workers = new CopyOnWriteArrayList<>();
    private final long after;

    WorkerKiller(long after) {
        this.after = after;
    }

    @Override
    public void workersStarted(List<OptionalLong> pids) {
        pids.forEach(pid -> workers.add(ProcessHandle.of(pid.getAsLong()).orElseThrow()));
    }

    @Override
    public void step(StepIndex done, float loss, long tokens, boolean again) {
        if (done.value() == after) {
            workers.get(VICTIM).destroyForcibly();
        }
    }

    /** The run must have ended because of this. */
    void assertNamed(RecorderException lost) {
        assertEquals(
                "worker %d (process %d) is lost: it was killed by signal 9 (SIGKILL)"
                        .formatted(VICTIM, workers.get(VICTIM).pid()),
                lost.getMessage());
    }
}
