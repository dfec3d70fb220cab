package org.bitwitness.replayer.dispute;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.kernels.program.RunSetup;
import org.bitwitness.kernels.trace.PlannedEntry;
import org.bitwitness.kernels.trace.TensorSource;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.bytes.CanonicalEncoder;
import org.bitwitness.protocol.format.DescriptorJson;
import org.bitwitness.protocol.merkle.InclusionProof;
import org.bitwitness.protocol.merkle.MerkleTree;
import org.bitwitness.protocol.tensor.DType;
import org.bitwitness.protocol.tensor.Shape;
import org.bitwitness.protocol.tensor.TensorDigests;
import org.bitwitness.protocol.tensor.TensorDigests.TensorId;

/** Checks that the roots of an operator's inputs are the agreed ones: exactly those it reads, no more. */
final class ProvenInputs {
    sealed interface Result {}

    /** Roots by source; constants have none, they follow from the descriptor. */
    record Proven(Map<TensorSource, Sha256> roots, Optional<Sha256> rowsRoot) implements Result {
        public Proven {
            roots = Map.copyOf(roots);
        }
    }

    record Wrong(String why) implements Result {}

    private final DisputedUnit unit;
    private final Move.Inputs inputs;
    private final Map<TensorSource, Sha256> roots = new HashMap<>();

    private ProvenInputs(DisputedUnit unit, Move.Inputs inputs) {
        this.unit = unit;
        this.inputs = inputs;
    }

    /** @param traceRoot the auditor's: earlier entries are the same in both trees, the paths that show them are not */
    static Result check(DisputedUnit unit, PlannedEntry entry, int output, Move.Inputs inputs, Sha256 traceRoot) {
        ProvenInputs check = new ProvenInputs(unit, inputs);
        List<TensorSource> sources = OperatorCase.sources(entry, output);
        Optional<String> wrong = check.state(sources).or(() -> check.entries(sources, traceRoot));
        if (wrong.isPresent()) {
            return new Wrong(wrong.get());
        }
        boolean reads = sources.stream().anyMatch(TensorSource.Batch.class::isInstance);
        return new Proven(
                check.roots, reads ? Optional.of(unit.batch(entry.microBatch()).rowsRoot()) : Optional.empty());
    }

    private Optional<String> state(List<TensorSource> sources) {
        Sha256 tensorsRoot = CanonicalEncoder.of("tensors")
                .u64(unit.stateCount())
                .digest(inputs.stateTree())
                .hash();
        var premise = unit.premise();
        var root = inputs.scalars()
                .stateRoot(premise.descriptor().profile(), DescriptorJson.digest(premise.descriptor()), tensorsRoot);
        if (!root.equals(premise.record().stateRootBefore())) {
            return Optional.of("the state it shows has root %s, step %s begins with %s"
                    .formatted(root, premise.record().step(), premise.record().stateRootBefore()));
        }
        List<String> names = stateNames(sources);
        List<String> shown =
                inputs.parameters().stream().map(Move.OpenedTensor::name).toList();
        if (!shown.equals(names)) {
            return Optional.of("the operator reads the tensors %s of the state, it shows %s".formatted(names, shown));
        }
        return inputs.parameters().stream()
                .filter(tensor -> !stands(tensor))
                .findFirst()
                .map(tensor ->
                        "tensor %s with root %s does not stand in the state".formatted(tensor.name(), tensor.root()));
    }

    static List<String> stateNames(List<TensorSource> sources) {
        return sources.stream()
                .filter(TensorSource.StateTensor.class::isInstance)
                .map(source -> ((TensorSource.StateTensor) source).name())
                .distinct()
                .toList();
    }

    private boolean stands(Move.OpenedTensor tensor) {
        Shape shape = ParameterManifest.of(RunSetup.model(unit.premise().descriptor()))
                .get(tensor.name())
                .shape();
        byte[] leaf = TensorDigests.tensorLeaf(
                new TensorId(tensor.name(), DType.F32, shape), shape.elementCount() * Float.BYTES, tensor.root());
        roots.put(new TensorSource.StateTensor(tensor.name()), tensor.root());
        return new InclusionProof(unit.stateIndex(tensor.name()), unit.stateCount(), tensor.path())
                .proves(MerkleTree.leafHash(leaf), inputs.stateTree());
    }

    private Optional<String> entries(List<TensorSource> sources, Sha256 traceRoot) {
        List<Integer> needed = entryIndexes(sources);
        List<Integer> shown =
                inputs.entries().stream().map(Move.OpenedEntry::index).toList();
        if (!shown.equals(needed)) {
            return Optional.of("the operator reads outputs of entries %s, it shows %s".formatted(needed, shown));
        }
        for (Move.OpenedEntry entry : inputs.entries()) {
            Optional<Sha256> leaf = unit.leafHash(entry.index(), entry.outputs());
            InclusionProof proof =
                    new InclusionProof(entry.index(), unit.entries().size(), entry.path());
            if (leaf.isEmpty() || !proof.proves(leaf.get(), traceRoot)) {
                return Optional.of("entry %d as it shows it does not stand in the agreed part of the traces"
                        .formatted(entry.index()));
            }
            for (TensorSource source : sources) {
                if (source instanceof TensorSource.EntryOutput from && from.entry() == entry.index()) {
                    roots.put(from, entry.outputs().get(from.output()));
                }
            }
        }
        return Optional.empty();
    }

    /** Entries that are read, ascending. */
    static List<Integer> entryIndexes(List<TensorSource> sources) {
        TreeSet<Integer> indexes = new TreeSet<>();
        for (TensorSource source : sources) {
            if (source instanceof TensorSource.EntryOutput from) {
                indexes.add(from.entry());
            }
        }
        return List.copyOf(indexes);
    }
}
