package org.bitwitness.scheduler;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.replayer.CommittedRun;
import org.bitwitness.replayer.EngineFactory;
import org.bitwitness.replayer.Manner;
import org.bitwitness.replayer.MemoryPlanner;
import org.bitwitness.replayer.ProgressListener;
import org.bitwitness.replayer.ReplayException;
import org.bitwitness.replayer.ReplayOptions;
import org.bitwitness.replayer.UnitReplayer;

/**
 * What runs on an executor: a task's text in, a {@link TaskAnswer}'s text out. Knows no key, and writes only where the task
 * says that work is kept.
 */
public final class ReplayTaskRunner {
    /** What an executor's heap holds beside its replays: Spark, the log's entries. Measured, with a margin. */
    public static final long BESIDE_BYTES = 64L << 20;

    private ReplayTaskRunner() {}

    /**
     * Replays one unit.
     *
     * @return the answer; whatever keeps the unit from being judged becomes an INCONCLUSIVE report with the reason
     * @throws IllegalArgumentException if {@code text} is no task
     */
    public static String run(String text) {
        ReplayTask task;
        try {
            task = ReplayTask.parse(text);
        } catch (ProtocolException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
        List<String> notes = new ArrayList<>();
        ReplayReport report = replay(task, notes);
        return new TaskAnswer(notes, report).text();
    }

    private static ReplayReport replay(ReplayTask task, List<String> notes) {
        try (CommittedRun run = CommittedRun.open(task.recording(), Optional.of(task.commitment()))) {
            Manner manner = manner(task, run);
            if (manner != Manner.SIDE_BY_SIDE && manner != Manner.IN_MEMORY) {
                notes.add("%s: %s, for want of memory".formatted(task.unit().text(), manner.text()));
            }
            ReplayOptions options = new ReplayOptions(task.backend(), task.threads(), task.salt(), task.keep(), manner);
            return new UnitReplayer(run, EngineFactory.STANDARD, options, InstantSource.system())
                    .replay(task.unit(), new Notes(notes));
        } catch (ReplayException e) {
            return inconclusive(task, String.valueOf(e.getMessage()));
        } catch (OutOfMemoryError e) {
            return inconclusive(task, "out of memory while replaying; give the auditor's process more");
        } catch (RuntimeException e) {
            return inconclusive(task, "the replay failed: " + e);
        }
    }

    /** What fits into this task's share of the heap. */
    private static Manner manner(ReplayTask task, CommittedRun run) {
        MemoryPlanner planner = new MemoryPlanner(
                run, task.backend(), task.threads(), task.keep().isPresent());
        long share = (Runtime.getRuntime().maxMemory() - BESIDE_BYTES) / task.tasks();
        return planner.forHeap(task.unit(), share);
    }

    /** Progress is heard by nobody on an executor. */
    private record Notes(List<String> into) implements ProgressListener {
        @Override
        public void progress(long done, long total, String note) {}

        @Override
        public void note(String words) {
            into.add(words);
        }
    }

    /** The report of a unit that could not be judged. */
    private static ReplayReport inconclusive(ReplayTask task, String reason) {
        return UnitReplayer.inconclusive(task.unit(), task.backend(), task.profile(), reason, InstantSource.system());
    }
}
