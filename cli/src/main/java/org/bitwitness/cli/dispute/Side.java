package org.bitwitness.cli.dispute;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.kernels.trace.TensorSource;
import org.bitwitness.kernels.trace.TensorSource.EntryOutput;
import org.bitwitness.kernels.trace.TracePlan;
import org.bitwitness.kernels.trace.WorkerTrace;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.TraceRoot;
import org.bitwitness.protocol.merkle.MerkleTree;
import org.bitwitness.protocol.tensor.TensorDigests;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;
import org.bitwitness.protocol.tensor.Utf8Order;
import org.bitwitness.replayer.CommittedRun;
import org.bitwitness.replayer.EngineFactory;
import org.bitwitness.replayer.ProgressListener;
import org.bitwitness.replayer.ReplayException;
import org.bitwitness.replayer.ReplayOptions;
import org.bitwitness.replayer.TracedWorker;
import org.bitwitness.replayer.dispute.Answers;
import org.bitwitness.replayer.dispute.DisputeException;
import org.bitwitness.replayer.dispute.DisputeGame;
import org.bitwitness.replayer.dispute.Move;
import org.bitwitness.replayer.dispute.Party;
import org.bitwitness.replayer.dispute.Status;

/**
 * One side with its recording. The trainer answers from the trace it recorded, without arithmetic; the auditor from its own
 * replay.
 */
final class Side {
    private final DisputeGame game;
    private final TraceMemo memo;
    private final Path run;
    private final ReplayOptions options;

    /** @param memo where the auditor may have kept its trace */
    Side(DisputeGame game, TraceMemo memo, Path run, ReplayOptions options) {
        this.game = game;
        this.memo = memo;
        this.run = run;
        this.options = options;
    }

    /** What this side has to say next; data that belongs to it goes to the shelf first. */
    Move answer(Status.Waiting turn, FolderShelf shelf, ProgressListener progress)
            throws ReplayException, CommandFailure, IOException, DisputeException {
        try (CommittedRun committed =
                CommittedRun.open(run, Optional.of(game.open().commitment()))) {
            TracedWorker worker = TracedWorker.of(committed, game.open().unit());
            if (turn.from() == Party.TRAINER) {
                return move(turn, new Answers(trainersTrace(worker, progress)));
            }
            Optional<WorkerTrace> kept = turn.need() == Status.Need.INPUTS ? Optional.empty() : memo.read(game);
            if (kept.isPresent()) {
                return move(turn, new Answers(kept.get()));
            }
            TracedWorker.Replayed replayed = worker.replay(EngineFactory.STANDARD, options, progress);
            requireSame(replayed.trace().traceRoot());
            Answers answers = new Answers(replayed.trace());
            return turn.need() == Status.Need.INPUTS ? inputs(replayed, answers, shelf) : move(turn, answers);
        }
    }

    private Move move(Status.Waiting turn, Answers answers) {
        return switch (turn.need()) {
            case DEFENCE -> new Move.Defence(answers.claim());
            case HALVES -> answers.halves(game);
            case ENTRY -> answers.entry(game);
            case INPUTS, RULING -> throw new IllegalStateException("no trace alone answers " + turn);
        };
    }

    /** The recorded trace, or a replay that gives the committed one. */
    private WorkerTrace trainersTrace(TracedWorker worker, ProgressListener progress)
            throws ReplayException, CommandFailure {
        Optional<WorkerTrace> recorded = worker.recorded();
        if (recorded.isPresent()) {
            return recorded.get();
        }
        WorkerTrace replayed =
                worker.replay(EngineFactory.STANDARD, options, progress).trace();
        Optional<TraceRoot> committed = game.unit().worker().traceRoot();
        boolean same = committed.isPresent()
                ? committed.get().equals(replayed.traceRoot())
                : replayed.gradientRoot().equals(game.unit().worker().gradientRoot());
        if (!same) {
            throw new CommandFailure(
                    ExitCode.INCONCLUSIVE,
                    "the recording keeps no operator traces and this machine computes another one than was committed:"
                            + " answer on the machine that keeps them, or concede by silence");
        }
        return replayed;
    }

    private void requireSame(TraceRoot computed) throws CommandFailure {
        Sha256 claimed = game.open().claim().traceRoot();
        if (!computed.digest().equals(claimed)) {
            throw new CommandFailure(
                    ExitCode.INCONCLUSIVE,
                    "this machine computes trace root %s, the dispute was opened with %s: answer on the machine that opened it"
                            .formatted(computed, claimed));
        }
    }

    private Move inputs(TracedWorker.Replayed replayed, Answers answers, FolderShelf shelf)
            throws ReplayException, IOException {
        List<TensorSource> sources = Answers.sources(game);
        List<F32Tensor> state = replayed.state().stream()
                .sorted((a, b) -> Utf8Order.COMPARATOR.compare(a.name(), b.name()))
                .toList();
        Set<EntryOutput> outputs = new HashSet<>();
        for (TensorSource source : sources) {
            switch (source) {
                case EntryOutput output -> outputs.add(output);
                case TensorSource.StateTensor tensor -> shelf.put(named(state, tensor.name()));
                case TensorSource.Batch _ -> putBatch(replayed, shelf);
                case TensorSource.Constant _ -> {}
            }
        }
        // Handing over reads no data, so there is none to deliver.
        if (!game.disputedEntry().op().equals(TracePlan.EMIT)) {
            for (float[] data : replayed.outputs(outputs).values()) {
                shelf.put(data);
            }
        }
        return answers.inputs(game, replayed.scalars(), leaves(state));
    }

    private void putBatch(TracedWorker.Replayed replayed, FolderShelf shelf) throws IOException {
        int microBatch = game.disputedEntry().microBatch();
        shelf.put(game.unit().worker().microBatches().get(microBatch).rowsRoot(), replayed.batch(microBatch));
    }

    private static float[] named(List<F32Tensor> state, String name) {
        return state.stream()
                .filter(tensor -> tensor.name().equals(name))
                .findFirst()
                .orElseThrow()
                .data();
    }

    private static List<Answers.StateLeaf> leaves(List<F32Tensor> state) {
        List<Answers.StateLeaf> leaves = new ArrayList<>();
        for (F32Tensor tensor : state) {
            leaves.add(new Answers.StateLeaf(
                    tensor.name(),
                    TensorDigests.tensorRoot(tensor.data(), tensor.offset(), tensor.length()),
                    MerkleTree.leafHash(tensor.leaf())));
        }
        return leaves;
    }
}
