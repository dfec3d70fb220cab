package org.bitwitness.kernels;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.bitwitness.kernels.program.CombineRule;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.protocol.record.Reduction;
import org.bitwitness.protocol.record.ReductionTree;

/**
 * Combines workers' gradients that are not in memory, one tensor of all workers after the other. What a rule does to a tensor
 * depends on that tensor alone, so no bit differs; rules that measure distances over whole gradients are not among them.
 */
final class TensorwiseCombiner {
    private final Backend backend;
    private final List<Gradients> workers;

    TensorwiseCombiner(Backend backend, List<Gradients> byLayoutPosition) {
        this.backend = backend;
        this.workers = byLayoutPosition;
    }

    /** @param into overwritten */
    CombineResult combine(CombineRule rule, Gradients into) {
        List<List<Integer>> exponents = new ArrayList<>();
        for (Parameter p : into.manifest().parameters()) {
            switch (rule) {
                case CombineRule.Ordered ordered -> keep(evaluate(ordered.tree(), p), into, p);
                case CombineRule.Exact _ -> {
                    Tensor out = room(into, p);
                    exponents.add(Arrays.stream(backend.combineExact(all(p), out))
                            .boxed()
                            .toList());
                    keep(out, into, p);
                }
                case CombineRule.Robust robust -> {
                    Tensor out = room(into, p);
                    backend.trimmedMean(all(p), trim(robust.rule(), workers.size()), out);
                    keep(out, into, p);
                }
            }
        }
        return new CombineResult(into, workers.size(), exponents, rule instanceof CombineRule.Robust);
    }

    /** Whether a rule looks at one tensor at a time. */
    static boolean combines(CombineRule rule) {
        return switch (rule) {
            case CombineRule.Ordered _, CombineRule.Exact _ -> true;
            case CombineRule.Robust robust ->
                robust.rule() instanceof Reduction.Median || robust.rule() instanceof Reduction.TrimmedMean;
        };
    }

    /** How many values a rule leaves out at each end. */
    static int trim(Reduction.Robust rule, int workers) {
        rule.requireWorkers(workers);
        return switch (rule) {
            case Reduction.Median _ -> (workers - 1) / 2;
            case Reduction.TrimmedMean trimmed -> trimmed.liars();
            case Reduction.Krum _, Reduction.MultiKrum _, Reduction.GeometricMedian _ ->
                throw new IllegalArgumentException(rule + " measures whole gradients: they have to be in memory");
        };
    }

    /** At every node the left side is the accumulator; leaves are read when their turn comes. */
    private Tensor evaluate(ReductionTree tree, Parameter p) {
        return switch (tree) {
            case ReductionTree.Leaf leaf ->
                bound(p, workers.get(leaf.position()).tensor(p.index()));
            case ReductionTree.Pair pair -> {
                Tensor left = evaluate(pair.left(), p);
                Tensor right = evaluate(pair.right(), p);
                backend.add(List.of(left), List.of(right));
                backend.release(List.of(right));
                yield left;
            }
        };
    }

    private Tensor room(Gradients into, Parameter p) {
        return bound(p, into.inMemory() ? into.tensor(p.index()) : new float[p.size()]);
    }

    private void keep(Tensor from, Gradients into, Parameter p) {
        into.keep(p.index(), backend.fetch(from));
        backend.release(List.of(from));
    }

    private List<Tensor> all(Parameter p) {
        return workers.stream()
                .map(worker -> bound(p, worker.tensor(p.index())))
                .toList();
    }

    private Tensor bound(Parameter p, float[] data) {
        Tensor tensor = Tensor.declare(p.name(), p.shape());
        backend.bind(tensor, data);
        return tensor;
    }
}
