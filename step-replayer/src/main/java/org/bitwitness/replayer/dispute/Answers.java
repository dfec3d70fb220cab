package org.bitwitness.replayer.dispute;

import java.util.ArrayList;
import java.util.List;
import org.bitwitness.kernels.trace.TensorSource;
import org.bitwitness.kernels.trace.TraceEntry;
import org.bitwitness.kernels.trace.WorkerTrace;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.merkle.MerkleTree;
import org.bitwitness.protocol.record.Scalars;

/** What a side that holds a trace answers. It opens what it holds; whether that is honest, the game shows. */
public final class Answers {
    private final List<Sha256> leaves;
    private final WorkerTrace trace;

    public Answers(WorkerTrace trace) {
        this.trace = trace;
        this.leaves = trace.entries().stream()
                .map(entry -> MerkleTree.leafHash(entry.toBytes()))
                .toList();
    }

    /** The trace's root with its last entry. */
    public Move.Claim claim() {
        int last = leaves.size() - 1;
        return new Move.Claim(MerkleTree.root(leaves), outputs(last), path(last));
    }

    /** The children of the node that the game stands at. */
    public Move.Halves halves(DisputeGame game) {
        TreeDescent at = game.descent();
        return new Move.Halves(
                MerkleTree.root(leaves.subList(at.low(), at.middle())),
                MerkleTree.root(leaves.subList(at.middle(), at.high())));
    }

    /** The entry that the descent ended at. */
    public Move.Entry entry(DisputeGame game) {
        return new Move.Entry(outputs(game.descent().low()));
    }

    /** What the disputed output is computed from. */
    public static List<TensorSource> sources(DisputeGame game) {
        return OperatorCase.sources(game.disputedEntry(), game.disputedOutput().orElseThrow());
    }

    /**
     * Openings of the disputed operator's inputs.
     *
     * @param stateLeaves leaves of the state's tensors by name
     */
    public Move.Inputs inputs(DisputeGame game, Scalars scalars, List<StateLeaf> stateLeaves) {
        List<TensorSource> sources = sources(game);
        List<Sha256> hashes = stateLeaves.stream().map(StateLeaf::hash).toList();
        List<Move.OpenedEntry> entries = new ArrayList<>();
        for (int index : ProvenInputs.entryIndexes(sources)) {
            entries.add(new Move.OpenedEntry(index, outputs(index), path(index)));
        }
        List<Move.OpenedTensor> parameters = new ArrayList<>();
        for (String name : ProvenInputs.stateNames(sources)) {
            int index = game.unit().stateIndex(name);
            parameters.add(new Move.OpenedTensor(
                    name,
                    stateLeaves.get(index).root(),
                    MerkleTree.inclusionProof(hashes, index).path()));
        }
        return new Move.Inputs(MerkleTree.root(hashes), scalars, entries, parameters);
    }

    /**
     * A tensor of the state in its tree.
     *
     * @param root of its data
     * @param hash of its leaf
     */
    public record StateLeaf(String name, Sha256 root, Sha256 hash) {}

    private List<Sha256> outputs(int index) {
        TraceEntry entry = trace.entries().get(index);
        return entry.outputRoots();
    }

    private List<Sha256> path(int index) {
        return MerkleTree.inclusionProof(leaves, index).path();
    }
}
