package org.bitwitness.kernels;

import java.util.List;
import java.util.OptionalInt;
import org.bitwitness.kernels.program.CombineRule;
import org.bitwitness.protocol.record.Averaging;
import org.bitwitness.protocol.record.ReductionTree;
import org.bitwitness.protocol.tensor.Shape;

/** Combines one segment of the workers' gradients: the same bits as {@link Reducer} over whole gradients. */
final class SegmentReducer {
    private final Backend backend;

    SegmentReducer(Backend backend) {
        this.backend = backend;
    }

    /**
     * Combines into an array of the caller's.
     *
     * @param byLayoutPosition not changed
     * @param into overwritten; none of those
     */
    SegmentSum combine(List<float[]> byLayoutPosition, CombineRule rule, Averaging averaging, float[] into) {
        int workers = byLayoutPosition.size();
        if (rule instanceof CombineRule.Ordered ordered) {
            evaluate(ordered.tree(), byLayoutPosition, into);
        }
        Tensor out = bound(into);
        OptionalInt exponent = OptionalInt.empty();
        if (rule instanceof CombineRule.Exact) {
            exponent = OptionalInt.of(backend.combineExact(bound(byLayoutPosition), out)[0]);
        } else if (rule instanceof CombineRule.Robust robust) {
            backend.trimmedMean(bound(byLayoutPosition), TensorwiseCombiner.trim(robust.rule(), workers), out);
        }
        if (averaging == Averaging.WORKERS && !(rule instanceof CombineRule.Robust) && workers > 1) {
            backend.scale(List.of(out), (float) (1.0 / (double) workers));
        }
        double squares = backend.sumOfSquares(List.of(out));
        HostCopies.fetch(backend, out, into);
        backend.release(List.of(out));
        return new SegmentSum(into, squares, exponent);
    }

    /** At every node the left side is the accumulator, so the value ends where the leftmost leaf was copied to. */
    private void evaluate(ReductionTree tree, List<float[]> leaves, float[] into) {
        switch (tree) {
            case ReductionTree.Leaf leaf -> System.arraycopy(leaves.get(leaf.position()), 0, into, 0, into.length);
            case ReductionTree.Pair pair -> {
                evaluate(pair.left(), leaves, into);
                Tensor sum = bound(into);
                Tensor addend = bound(value(pair.right(), leaves));
                backend.add(List.of(sum), List.of(addend));
                HostCopies.fetch(backend, sum, into);
                backend.release(List.of(sum, addend));
            }
        }
    }

    private float[] value(ReductionTree tree, List<float[]> leaves) {
        if (tree instanceof ReductionTree.Leaf leaf) {
            return leaves.get(leaf.position());
        }
        float[] own = new float[leaves.getFirst().length];
        evaluate(tree, leaves, own);
        return own;
    }

    private List<Tensor> bound(List<float[]> all) {
        return all.stream().map(this::bound).toList();
    }

    private Tensor bound(float[] data) {
        Tensor tensor = Tensor.declare("segment", Shape.of(data.length));
        backend.bind(tensor, data);
        return tensor;
    }
}
