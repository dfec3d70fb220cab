package org.bitwitness.kernels.program;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.kernels.op.Operator;

/**
 * What of a step program can share memory when blocks are computed twice. A block's inner tensors are written by its forward
 * alone and read by nothing outside the block: one set of arrays serves them in all blocks, and before a block's backward the
 * forward operators that its backward reads from run again. The last block's tensors are still there.
 *
 * <p>Derived from what operators read and write, so it holds for every family. An operator that runs again reads what it
 * read the first time: the block's input is kept, parameters do not change within a step, and a dropout's random words are
 * a function of their address.
 */
final class Recomputation {
    private final List<List<Tensor>> inner;
    private final Map<Integer, List<Integer>> again;

    private Recomputation(List<List<Tensor>> inner, Map<Integer, List<Integer>> again) {
        this.inner = inner;
        this.again = again;
    }

    static Recomputation of(List<Operator> operators, List<Tensor> activations, List<BlockSpan> blocks) {
        List<List<Tensor>> inner = new ArrayList<>();
        Map<Integer, List<Integer>> again = new HashMap<>();
        Map<Tensor, Set<Integer>> uses = uses(operators, activations);
        for (BlockSpan block : blocks) {
            inner.add(innerOf(operators, block, uses));
        }
        for (int b = 0; b < blocks.size() - 1; b++) {
            BlockSpan block = blocks.get(b);
            again.put(block.backward(), needed(operators, block, Set.copyOf(inner.get(b))));
        }
        return new Recomputation(inner, again);
    }

    /** Lists of corresponding tensors of all blocks, one list for each tensor that nobody outside its block needs. */
    List<List<Tensor>> shared() {
        List<List<Tensor>> shared = new ArrayList<>();
        for (int i = 0; i < (inner.isEmpty() ? 0 : inner.getFirst().size()); i++) {
            List<Tensor> same = new ArrayList<>();
            for (List<Tensor> block : inner) {
                if (!block.get(i).shape().equals(inner.getFirst().get(i).shape())) {
                    throw new IllegalStateException("blocks differ: %s and %s".formatted(inner.getFirst(), block));
                }
                same.add(block.get(i));
            }
            shared.add(same);
        }
        return shared;
    }

    /** By position, the forward operators to run again before that operator, ascending. */
    Map<Integer, List<Integer>> again() {
        return again;
    }

    /** Positions of the operators that read or write each activation. */
    private static Map<Tensor, Set<Integer>> uses(List<Operator> operators, List<Tensor> activations) {
        Map<Tensor, Set<Integer>> uses = new HashMap<>();
        activations.forEach(tensor -> uses.put(tensor, new HashSet<>()));
        for (int i = 0; i < operators.size(); i++) {
            for (List<Tensor> side :
                    List.of(operators.get(i).inputs(), operators.get(i).outputs())) {
                for (Tensor tensor : side) {
                    Set<Integer> of = uses.get(tensor);
                    if (of != null) {
                        of.add(i);
                    }
                }
            }
        }
        return uses;
    }

    private static List<Tensor> innerOf(List<Operator> operators, BlockSpan block, Map<Tensor, Set<Integer>> uses) {
        Set<Tensor> inner = new LinkedHashSet<>();
        for (int i = block.forward(); i < block.forwardEnd(); i++) {
            for (Tensor tensor : operators.get(i).outputs()) {
                Set<Integer> of = uses.get(tensor);
                if (of != null && of.stream().allMatch(block::contains)) {
                    inner.add(tensor);
                }
            }
        }
        return List.copyOf(inner);
    }

    /** Those forward operators whose results the backward reads, directly or through others; found from the end. */
    private static List<Integer> needed(List<Operator> operators, BlockSpan block, Set<Tensor> inner) {
        Set<Tensor> wanted = new HashSet<>();
        for (int i = block.backward(); i < block.backwardEnd(); i++) {
            operators.get(i).inputs().stream().filter(inner::contains).forEach(wanted::add);
        }
        List<Integer> needed = new ArrayList<>();
        for (int i = block.forwardEnd() - 1; i >= block.forward(); i--) {
            Operator operator = operators.get(i);
            if (operator.outputs().stream().anyMatch(wanted::contains)) {
                operator.outputs().forEach(wanted::remove);
                wanted.addAll(operator.inputs());
                needed.addFirst(i);
            }
        }
        return List.copyOf(needed);
    }
}
