package org.bitwitness.cli.bench;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.FirstDifference;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.recorder.train.TrainingListener;
import org.bitwitness.replayer.CommittedRun;
import org.bitwitness.replayer.EngineFactory;
import org.bitwitness.replayer.ReplayOptions;
import org.bitwitness.replayer.ReplaySalt;
import org.bitwitness.replayer.UnitReplayer;

/**
 * What an audit costs: a replayed step against the trainer's own, and finding a fault in a segment against replaying the
 * same segment without one. Steps are timed from the second on, on both sides; the segments from opening the recording to the
 * report.
 */
final class ReplayGroup implements BenchGroup {
    private static final int BISECTED_WORKERS = 2;
    private static final double GIGA = 1e9;

    private final ReplaySize size;

    ReplayGroup() {
        this(ReplaySize.DEMO);
    }

    ReplayGroup(ReplaySize size) {
        this.size = size;
    }

    @Override
    public String name() {
        return "replay";
    }

    @Override
    public String describes() {
        return "replay of a step against the trainer's step; bisection of a segment against its replay; tokens/s and FLOP/s";
    }

    @Override
    public List<BenchRow> measure(int runs) throws Exception {
        return measure(runs, Selection.ALL);
    }

    @Override
    public List<BenchRow> measure(int runs, Selection only) throws Exception {
        List<BenchRow> rows = new ArrayList<>();
        try (BenchRuns recordings = BenchRuns.create()) {
            for (int threads = 1; threads <= BISECTED_WORKERS; threads++) {
                if (only.has("step-" + threads) || only.has("tokens-" + threads) || only.has("flops-" + threads)) {
                    rows.addAll(steps(recordings, threads, runs));
                }
            }
            if (only.has("bisection-" + size.segment())) {
                rows.add(bisection(recordings, runs));
            }
        }
        return rows.stream().filter(row -> only.has(row.name())).toList();
    }

    /** One worker for each thread, so that the trainer keeps as many threads busy as the replay. */
    private List<BenchRow> steps(BenchRuns recordings, int threads, int runs) throws Exception {
        String config = size.plain(threads);
        Path recorded = recordings.record("replayed-" + threads, config, TrainingListener.NONE);
        AtomicInteger trained = new AtomicInteger();
        BenchRow step = Alternating.seconds(
                "step-" + threads,
                threads,
                runs,
                () -> reproduced(recorded, size.steps(), threads).secondsPerStep(),
                () -> {
                    StepClock clock = new StepClock();
                    Path again =
                            recordings.record("trained-" + threads + "-" + trained.getAndIncrement(), config, clock);
                    BenchRuns.delete(again);
                    return clock.secondsPerStep();
                });
        double tokens = size.tokensPerStep(threads);
        return List.of(
                step,
                rate(step, "tokens-" + threads, "tokens/s", tokens),
                rate(step, "flops-" + threads, "GFLOP/s", tokens * size.flopsPerToken() / GIGA));
    }

    private static BenchRow rate(BenchRow step, String name, String unit, double perStep) {
        return new BenchRow(
                name, perStep / step.ours(), perStep / step.peer(), unit, step.ratio(), step.threads(), step.runs());
    }

    private BenchRow bisection(BenchRuns recordings, int runs) throws Exception {
        int threads = BISECTED_WORKERS;
        Path honest = recordings.record("honest", size.traced(threads), TrainingListener.NONE);
        Path faulty = recordings.record("faulty", size.faulty(threads), TrainingListener.NONE);
        return Alternating.seconds(
                "bisection-" + size.segment(),
                threads,
                runs,
                () -> located(faulty, size.segment(), threads).seconds(),
                () -> reproduced(honest, size.segment(), threads).seconds());
    }

    /**
     * @param seconds from before the recording was opened to the report, the self-test included
     * @param secondsPerStep from the beginning of the second step to the report: as the trainer's steps are timed
     */
    private record Timed(ReplayReport report, double seconds, double secondsPerStep) {}

    private static Timed replay(Path recording, int steps, int threads) throws Exception {
        long started = System.nanoTime();
        try (CommittedRun run = CommittedRun.open(recording, Optional.empty())) {
            ReplayOptions options = new ReplayOptions(BackendId.VECTOR, threads, ReplaySalt.NONE);
            UnitReplayer replayer = new UnitReplayer(run, EngineFactory.STANDARD, options, InstantSource.system());
            AuditUnit unit = AuditUnit.parse(String.format(Locale.ROOT, "SEGMENT(0,%d)", steps));
            long partsOfAStep = run.descriptor().layout().size() + 1L;
            AtomicLong second = new AtomicLong();
            ReplayReport report = replayer.replay(unit, (done, _, _) -> {
                if (done == partsOfAStep) {
                    second.compareAndSet(0, System.nanoTime());
                }
            });
            long ended = System.nanoTime();
            return new Timed(report, (ended - started) / 1e9, (ended - second.get()) / 1e9 / (steps - 1));
        }
    }

    private static Timed reproduced(Path recording, int steps, int threads) throws Exception {
        Timed timed = replay(recording, steps, threads);
        if (timed.report().verdict() != Verdict.REPRODUCED) {
            throw new IllegalStateException("an honest segment should be REPRODUCED, is %s (%s): it measures nothing"
                    .formatted(timed.report().verdict(), timed.report().reason().orElse("no reason")));
        }
        return timed;
    }

    private static Timed located(Path recording, int steps, int threads) throws Exception {
        Timed timed = replay(recording, steps, threads);
        Optional<FirstDifference> found = timed.report().firstDifference();
        if (timed.report().verdict() != Verdict.DIVERGED
                || !found.flatMap(FirstDifference::step).equals(Optional.of(new StepIndex(steps - 1)))
                || found.flatMap(FirstDifference::operator).isEmpty()) {
            throw new IllegalStateException("the fault of step %d should be found with its operator, found %s %s"
                    .formatted(
                            steps - 1,
                            timed.report().verdict(),
                            found.map(FirstDifference::place).orElse("nowhere")));
        }
        return timed;
    }

    /** Hears when steps end; the first starts the clock, so starting workers is not counted. */
    private static final class StepClock implements TrainingListener {
        private long first;
        private long last;
        private int steps;

        @Override
        public void step(StepIndex step, float loss, long tokens, boolean again) {
            last = System.nanoTime();
            if (steps == 0) {
                first = last;
            }
            steps++;
        }

        double secondsPerStep() {
            return (last - first) / 1e9 / (steps - 1);
        }
    }
}
