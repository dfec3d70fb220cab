package org.bitwitness.kernels;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.bitwitness.kernels.program.CombineRule;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.protocol.record.Averaging;
import org.bitwitness.protocol.record.ReductionTree;
import org.bitwitness.protocol.tensor.Shape;

/** The REDUCE phase: combining, averaging, norm, clip and loss. */
final class Reducer {
    private final ParameterManifest manifest;
    private final Backend backend;

    Reducer(ParameterManifest manifest, Backend backend) {
        this.manifest = manifest;
        this.backend = backend;
    }

    /** @param room where gradients that are not in memory are combined */
    CombineResult combine(List<Gradients> byLayoutPosition, CombineRule rule, Supplier<Gradients> room) {
        if (byLayoutPosition.isEmpty()) {
            throw new IllegalArgumentException("need the gradient of at least one worker");
        }
        if (!byLayoutPosition.stream().allMatch(Gradients::inMemory)) {
            if (rule instanceof CombineRule.Ordered && byLayoutPosition.size() == 1) {
                return new CombineResult(byLayoutPosition.getFirst(), 1, List.of(), false);
            }
            return new TensorwiseCombiner(backend, byLayoutPosition).combine(rule, room.get());
        }
        return switch (rule) {
            case CombineRule.Ordered ordered -> {
                if (leaves(ordered.tree()) != byLayoutPosition.size()) {
                    throw new IllegalArgumentException("the reduction tree %s has %d leaves, there are %d workers"
                            .formatted(ordered.tree().text(), leaves(ordered.tree()), byLayoutPosition.size()));
                }
                yield new CombineResult(
                        ordered(ordered.tree(), byLayoutPosition), byLayoutPosition.size(), List.of(), false);
            }
            case CombineRule.Exact _ -> exact(byLayoutPosition);
            case CombineRule.Robust robust -> {
                RobustCombiner combiner = new RobustCombiner(manifest, backend, byLayoutPosition);
                yield new CombineResult(combiner.combine(robust.rule()), byLayoutPosition.size(), List.of(), true);
            }
        };
    }

    ReduceResult reduce(CombineResult result, List<WorkerLoss> losses, Averaging averaging, double maxNorm) {
        if (losses.size() != result.workers()) {
            throw new IllegalArgumentException(
                    "%d gradients were combined, but %d losses given".formatted(result.workers(), losses.size()));
        }
        if (result.mean() && averaging != Averaging.WORKERS) {
            throw new IllegalArgumentException("a robust rule combines gradients that are averaged over WORKERS");
        }
        boolean averages = averaging == Averaging.WORKERS && !result.mean() && losses.size() > 1;
        float factor = averages ? (float) (1.0 / (double) losses.size()) : 1f;
        double sumOfSquares = result.combined().inMemory()
                ? averaged(result.combined(), averages, factor)
                : averagedTensorwise(result.combined(), averages, factor);
        return reduced(result.combined(), sumOfSquares, losses, averaging, maxNorm);
    }

    private double averaged(Gradients gradients, boolean averages, float factor) {
        List<Tensor> combined = bind(gradients);
        if (averages) {
            backend.scale(combined, factor);
            HostCopies.fetch(backend, combined, gradients);
        }
        double sumOfSquares = backend.sumOfSquares(combined);
        backend.release(combined);
        return sumOfSquares;
    }

    /** One tensor after the other; the chain over segments is that over all tensors at once. */
    private double averagedTensorwise(Gradients gradients, boolean averages, float factor) {
        double chain = 0.0;
        for (Parameter p : manifest.parameters()) {
            float[] numbers = gradients.tensor(p.index());
            if (averages) {
                Tensor tensor = Tensor.declare(p.name(), p.shape());
                backend.bind(tensor, numbers);
                backend.scale(List.of(tensor), factor);
                HostCopies.fetch(backend, tensor, numbers);
                backend.release(List.of(tensor));
                gradients.keep(p.index(), numbers);
            }
            for (int at = 0; at < numbers.length; at += SegmentSum.ELEMENTS) {
                float[] segment = Arrays.copyOfRange(numbers, at, Math.min(numbers.length, at + SegmentSum.ELEMENTS));
                Tensor tensor = Tensor.declare("segment", Shape.of(segment.length));
                backend.bind(tensor, segment);
                chain = chain + backend.sumOfSquares(List.of(tensor));
                backend.release(List.of(tensor));
            }
        }
        return chain;
    }

    /** @param sumOfSquares of the combined gradient, averaged */
    static ReduceResult reduced(
            Gradients combined, double sumOfSquares, List<WorkerLoss> losses, Averaging averaging, double maxNorm) {
        double norm = canonical(Math.sqrt(sumOfSquares));
        float clip = (float) canonical(Math.min(1.0, maxNorm / (norm + 1e-6)));
        float loss = (float) canonical(loss(losses, averaging));
        long count = losses.stream().mapToLong(WorkerLoss::targetCount).sum();
        boolean counted = switch (averaging) {
            case TOKENS -> count > 0;
            case WORKERS -> losses.stream().allMatch(l -> l.targetCount() > 0);
        };
        boolean valid = counted && Double.isFinite(norm) && Float.isFinite(loss);
        return new ReduceResult(combined, norm, clip, loss, count, valid);
    }

    private static double loss(List<WorkerLoss> losses, Averaging averaging) {
        double chain = 0.0;
        long count = 0;
        for (WorkerLoss worker : losses) {
            chain = switch (averaging) {
                case TOKENS -> chain + worker.lossSum();
                case WORKERS -> chain + worker.lossSum() / (double) worker.targetCount();
            };
            count += worker.targetCount();
        }
        return switch (averaging) {
            case TOKENS -> chain / (double) count;
            case WORKERS -> chain / (double) losses.size();
        };
    }

    /** A sum over one worker is that worker's gradient, which nothing changes later: no copy. */
    private Gradients ordered(ReductionTree tree, List<Gradients> leaves) {
        return tree instanceof ReductionTree.Leaf leaf ? leaves.get(leaf.position()) : evaluate(tree, leaves);
    }

    /** The tree's value in arrays of its own; at every node the left side is the accumulator. */
    private Gradients evaluate(ReductionTree tree, List<Gradients> leaves) {
        return switch (tree) {
            case ReductionTree.Leaf leaf -> leaves.get(leaf.position()).copy();
            case ReductionTree.Pair node -> {
                Gradients left = evaluate(node.left(), leaves);
                Gradients right = node.right() instanceof ReductionTree.Leaf leaf
                        ? leaves.get(leaf.position())
                        : evaluate(node.right(), leaves);
                List<Tensor> sum = bind(left);
                List<Tensor> addend = bind(right);
                backend.add(sum, addend);
                HostCopies.fetch(backend, sum, left);
                backend.release(sum);
                backend.release(addend);
                yield left;
            }
        };
    }

    private static int leaves(ReductionTree tree) {
        return switch (tree) {
            case ReductionTree.Leaf _ -> 1;
            case ReductionTree.Pair pair -> leaves(pair.left()) + leaves(pair.right());
        };
    }

    private CombineResult exact(List<Gradients> byLayoutPosition) {
        Gradients combined = Gradients.zero(manifest);
        List<Tensor> out = bind(combined);
        List<List<Tensor>> workers = byLayoutPosition.stream().map(this::bind).toList();
        List<List<Integer>> exponents = new ArrayList<>();
        for (int i = 0; i < manifest.count(); i++) {
            int index = i;
            List<Tensor> byWorker = workers.stream().map(w -> w.get(index)).toList();
            exponents.add(Arrays.stream(backend.combineExact(byWorker, out.get(i)))
                    .boxed()
                    .toList());
        }
        HostCopies.fetch(backend, out, combined);
        backend.release(out);
        workers.forEach(backend::release);
        return new CombineResult(combined, byLayoutPosition.size(), exponents, false);
    }

    private List<Tensor> bind(Gradients gradients) {
        List<Tensor> out = new ArrayList<>();
        for (Parameter p : manifest.parameters()) {
            Tensor tensor = Tensor.declare(p.name(), p.shape());
            backend.bind(tensor, gradients.tensor(p.index()));
            out.add(tensor);
        }
        return out;
    }

    /** One NaN, so that recorded bytes do not depend on hardware. */
    private static double canonical(double x) {
        return Double.isNaN(x) ? Double.NaN : x;
    }
}
