package org.bitwitness.replayer.dispute;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.Backends;
import org.bitwitness.kernels.MicroBatch;
import org.bitwitness.kernels.StepEngine;
import org.bitwitness.kernels.program.BatchShape;
import org.bitwitness.kernels.trace.TensorSource;
import org.bitwitness.kernels.trace.TensorSource.EntryOutput;
import org.bitwitness.kernels.trace.WorkerTrace;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.merkle.MerkleTree;
import org.bitwitness.protocol.tensor.TensorDigests;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;
import org.bitwitness.protocol.tensor.Utf8Order;
import org.bitwitness.replayer.CommittedRun;
import org.bitwitness.replayer.EngineFactory;
import org.bitwitness.replayer.ProgressListener;
import org.bitwitness.replayer.ReplayOptions;
import org.bitwitness.replayer.ReplaySalt;
import org.bitwitness.replayer.TracedWorker;
import org.bitwitness.replayer.dispute.Status.Need;

/** A dispute over one unit of a recording on disk, both sides in this process. */
final class Contest {
    /** A machine without faults. */
    static final EngineFactory SOUND = EngineFactory.STANDARD;

    private final TracedWorker.Replayed auditor;
    private final Answers auditorAnswers;
    private final Answers trainerAnswers;
    private final DisputeGame game;
    private final Shelf shelf = new Shelf();
    private int messages = 1;

    /** Data by root; counts what is taken. */
    static final class Shelf implements DataShelf {
        private final Map<Sha256, float[]> tensors = new HashMap<>();
        private final Map<Sha256, MicroBatch> batches = new HashMap<>();
        private final Set<Sha256> taken = new HashSet<>();

        @Override
        public Optional<float[]> tensor(Sha256 root, int elements) {
            taken.add(root);
            return Optional.ofNullable(tensors.get(root));
        }

        @Override
        public Optional<MicroBatch> rows(Sha256 rowsRoot, BatchShape shape) {
            taken.add(rowsRoot);
            return Optional.ofNullable(batches.get(rowsRoot));
        }

        Set<Sha256> taken() {
            return taken;
        }
    }

    /** The auditor replays with {@code machine}; the trainer answers from its recording. */
    static Contest of(Path run, String unit, EngineFactory machine) throws Exception {
        return new Contest(run, unit, machine, Optional.empty());
    }

    /** The trainer answers with another trace than it recorded. */
    static Contest of(Path run, String unit, EngineFactory machine, WorkerTrace trainer) throws Exception {
        return new Contest(run, unit, machine, Optional.of(trainer));
    }

    /** A machine with one faulty operator. */
    static EngineFactory broken(String kind, String name) {
        return (tensors, id, threads) ->
                StepEngine.create(tensors, FaultyBackend.faulty(Backends.create(id, threads), kind, name));
    }

    private Contest(Path run, String unit, EngineFactory machine, Optional<WorkerTrace> other) throws Exception {
        AuditUnit.Gradient gradient = (AuditUnit.Gradient) AuditUnit.parse(unit);
        CommittedRun committed = CommittedRun.open(run, Optional.empty());
        TracedWorker worker = TracedWorker.of(committed, gradient);
        this.auditor = worker.replay(
                machine, new ReplayOptions(BackendId.REFERENCE, 1, ReplaySalt.NONE), ProgressListener.NONE);
        this.auditorAnswers = new Answers(auditor.trace());
        this.trainerAnswers =
                new Answers(other.isPresent() ? other.get() : worker.recorded().orElseThrow());
        Move.Open open = new Move.Open(
                committed.commitment().runId(),
                committed.commitment().digest(),
                gradient,
                worker.inclusion(),
                "0a",
                "0b",
                60,
                auditorAnswers.claim());
        Premise premise = Premise.of(
                open,
                Files.readAllBytes(run.resolve("commitments/0000.bin")),
                committed.commitment().toBytes(),
                Files.readAllBytes(run.resolve("descriptor.json")),
                worker.record().toBytes());
        this.game = new DisputeGame(DisputedUnit.of(premise, gradient), open);
    }

    DisputeGame game() {
        return game;
    }

    Shelf shelf() {
        return shelf;
    }

    /** Messages so far, with the first and with the ruling to come. */
    int messages() {
        return messages + 1;
    }

    /** Plays until nobody but the referee has to speak. */
    Contest play() throws Exception {
        while (game.status() instanceof Status.Waiting waiting && waiting.from() != Party.REFEREE) {
            say(waiting.from(), answer(waiting));
        }
        return this;
    }

    /** Plays until this is needed. */
    Contest until(Need need) throws Exception {
        while (game.status() instanceof Status.Waiting waiting && waiting.need() != need) {
            say(waiting.from(), answer(waiting));
        }
        return this;
    }

    void say(Party party, Move move) throws DisputeException {
        // Through its bytes, as everything that is signed.
        Move read =
                Message.read(new Message(0, Optional.empty(), move).toBytes()).move();
        game.accept(party, read);
        messages++;
    }

    Move answer(Status.Waiting waiting) throws Exception {
        Answers side = waiting.from() == Party.AUDITOR ? auditorAnswers : trainerAnswers;
        return switch (waiting.need()) {
            case DEFENCE -> new Move.Defence(side.claim());
            case HALVES -> side.halves(game);
            case ENTRY -> side.entry(game);
            case INPUTS -> inputs();
            case RULING -> throw new IllegalStateException("the referee rules");
        };
    }

    Move.Inputs inputs() throws Exception {
        Set<EntryOutput> outputs = new HashSet<>();
        for (TensorSource source : Answers.sources(game)) {
            switch (source) {
                case EntryOutput output -> outputs.add(output);
                case TensorSource.Batch _ -> {
                    for (int b = 0; b < game.unit().worker().microBatches().size(); b++) {
                        shelf.batches.put(game.unit().batch(b).rowsRoot(), auditor.batch(b));
                    }
                }
                case TensorSource.StateTensor _, TensorSource.Constant _ -> {}
            }
        }
        auditor.outputs(outputs).values().forEach(this::keep);
        List<Answers.StateLeaf> leaves = new ArrayList<>();
        for (F32Tensor tensor : auditor.state().stream()
                .sorted((a, b) -> Utf8Order.COMPARATOR.compare(a.name(), b.name()))
                .toList()) {
            keep(tensor.data());
            leaves.add(new Answers.StateLeaf(
                    tensor.name(),
                    TensorDigests.tensorRoot(tensor.data(), 0, tensor.length()),
                    MerkleTree.leafHash(tensor.leaf())));
        }
        return auditorAnswers.inputs(game, auditor.scalars(), leaves);
    }

    private void keep(float[] data) {
        shelf.tensors.put(TensorDigests.tensorRoot(data, 0, data.length), data);
    }

    /** What executing the one operator gives. */
    Move.Outcome ruled() {
        OperatorCase operator = game.operator().orElseThrow();
        OperatorJudge.Finding finding = OperatorJudge.judge(operator, shelf);
        return switch (finding) {
            case OperatorJudge.Finding.Computed computed -> Rulings.outcome(operator, computed.root());
            case OperatorJudge.Finding.NoData missing -> throw new AssertionError(missing.why());
            case OperatorJudge.Finding.Undecided undecided -> throw new AssertionError(undecided.why());
        };
    }
}
