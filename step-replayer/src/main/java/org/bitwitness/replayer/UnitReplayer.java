package org.bitwitness.replayer;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.bitwitness.kernels.BackendAbsentException;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.StepEngine;
import org.bitwitness.kernels.gpu.GpuException;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.Confirmation;
import org.bitwitness.protocol.ProfileId;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.merkle.MerkleTree;

/**
 * Replays audit units of one committed run and says what came out.
 *
 * <p>A verdict is REPRODUCED or DIVERGED only on a machine whose backend passes its self-test, and DIVERGED only when a
 * second backend computes the disputed piece to the same bits; everything else is INCONCLUSIVE with the reason.
 */
public final class UnitReplayer {
    private final CommittedRun run;
    private final EngineFactory engines;
    private final ReplayOptions options;
    private final InstantSource clock;
    private final Function<Manner, Storage> storages;
    private final SelfTest selfTest;
    private final Sha256 environmentDigest;

    public UnitReplayer(CommittedRun run, EngineFactory engines, ReplayOptions options, InstantSource clock) {
        this(run, engines, options, clock, Storage::of);
    }

    /** @param storages where states and gradients are, by manner */
    UnitReplayer(
            CommittedRun run,
            EngineFactory engines,
            ReplayOptions options,
            InstantSource clock,
            Function<Manner, Storage> storages) {
        this.storages = storages;
        this.run = run;
        this.engines = engines;
        this.options = options;
        this.clock = clock;
        this.selfTest = new SelfTest(engines);
        this.environmentDigest = Environment.current().digest();
    }

    /**
     * Replays one unit.
     *
     * @throws ReplayException if the run has no such unit, or the machine no such backend: nothing was judged
     */
    public ReplayReport replay(AuditUnit unit, ProgressListener progress) throws ReplayException {
        UnitRange.require(run, unit);
        try {
            SelfTest.Result tested = selfTested(options.backend());
            ReportDraft draft = new ReportDraft(
                    unit,
                    new ReportDraft.Setting(
                            options.backend(), run.descriptor().profile(), tested.digest(), environmentDigest, clock));
            if (tested.problem().isPresent()) {
                return draft.inconclusive(
                        "backend %s fails its self-test: %s; a machine that fails it can accuse nobody"
                                .formatted(options.backend(), tested.problem().get()));
            }
            Kept kept = Kept.of(run, unit, options, List.of(tested.digest(), environmentDigest), progress);
            Optional<ReplayReport> before = kept.report();
            if (before.isPresent()) {
                return before.get();
            }
            ReplayReport report = replayed(unit, draft, progress, kept);
            kept.finished(report);
            return report;
        } catch (BackendAbsentException e) {
            throw new ReplayException(e.getMessage() + "; nothing was replayed", e);
        } catch (GpuException e) {
            // A device that fails says nothing about the recording.
            return inconclusive(
                    unit,
                    options.backend(),
                    run.descriptor().profile(),
                    "the device failed: " + e.failure().message(),
                    clock);
        }
    }

    private SelfTest.Result selfTested(BackendId backend) {
        return selfTest.run(
                backend, options.threads(), run.descriptor().profile(), GoldenRun.neededBy(run.descriptor()));
    }

    /**
     * The report of a unit whose replay never came to an end, for example because its process died.
     *
     * @param profile of the run, under which nothing was computed
     */
    public static ReplayReport inconclusive(
            AuditUnit unit, BackendId backend, ProfileId profile, String reason, InstantSource clock) {
        return new ReportDraft(
                        unit,
                        new ReportDraft.Setting(
                                backend,
                                profile,
                                MerkleTree.EMPTY_ROOT,
                                Environment.current().digest(),
                                clock))
                .inconclusive(reason);
    }

    private ReplayReport replayed(AuditUnit unit, ReportDraft draft, ProgressListener progress, Kept kept)
            throws ReplayException {
        try (Storage storage = storages.apply(options.manner())) {
            return replay(unit, draft, new UnitWork.Means(progress, draft, kept, storage));
        } catch (SpillException e) {
            return draft.inconclusive(e.reason());
        }
    }

    private ReplayReport replay(AuditUnit unit, ReportDraft draft, UnitWork.Means means) throws ReplayException {
        try {
            return switch (computed(unit, draft, means)) {
                case UnitOutcome.Same same -> draft.reproduced(same.root());
                case UnitOutcome.Differs differs -> confirm(draft, differs.difference(), means.storage());
            };
        } catch (StoreDamage e) {
            return draft.inconclusive(e.reason());
        }
    }

    /** By an engine that is gone when another one repeats a difference. */
    private UnitOutcome computed(AuditUnit unit, ReportDraft draft, UnitWork.Means means)
            throws ReplayException, StoreDamage {
        try (StepEngine engine = engines.engine(run.facts().tensors(), options.backend(), options.threads());
                WorkerEngines workerEngines = workerEngines(engine)) {
            means.storage().prepare(engine, options.manner());
            ProofBuilder proof = new ProofBuilder(options.salt().of(unit));
            return draft.begin(new UnitWork(run, engine, workerEngines, proof, means))
                    .replay(unit);
        }
    }

    /** Engines beside {@code engine} where workers are computed at the same time. */
    private WorkerEngines workerEngines(StepEngine engine) throws StoreDamage {
        int count = options.manner()
                .workersAtATime(
                        options.backend(),
                        options.threads(),
                        run.descriptor().layout().size());
        if (count == 1) {
            return WorkerEngines.one(engine);
        }
        List<StepEngine> beside = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                int threads = options.threads() / count + (i < options.threads() % count ? 1 : 0);
                beside.add(engines.engine(run.facts().tensors(), options.backend(), threads));
            }
        } catch (RuntimeException e) {
            beside.forEach(StepEngine::close);
            throw e;
        }
        return WorkerEngines.sideBySide(beside);
    }

    /** A difference becomes a verdict when another backend computes the same bits as the first. */
    private ReplayReport confirm(ReportDraft draft, Difference difference, Storage storage) throws StoreDamage {
        BackendId second = options.confirming();
        Sha256 again;
        try {
            SelfTest.Result tested = selfTested(second);
            if (tested.problem().isPresent()) {
                return draft.undecided(
                        difference,
                        Optional.empty(),
                        "the second backend %s fails its self-test: %s"
                                .formatted(second, tested.problem().get()));
            }
            try (StepEngine engine = engines.engine(run.facts().tensors(), second, options.threads())) {
                storage.prepare(engine, options.manner());
                again = difference.again().on(engine);
            }
        } catch (BackendAbsentException e) {
            return draft.undecided(
                    difference, Optional.empty(), "no second backend to repeat the difference: " + e.getMessage());
        }
        if (again.equals(difference.computed())) {
            return draft.diverged(difference, new Confirmation(second.text(), Confirmation.Result.SAME));
        }
        return draft.undecided(
                difference,
                Optional.of(new Confirmation(second.text(), Confirmation.Result.OTHER)),
                "this machine's backends disagree: the recording has %s, %s computed %s, %s computed %s"
                        .formatted(difference.expected(), options.backend(), difference.computed(), second, again));
    }
}
