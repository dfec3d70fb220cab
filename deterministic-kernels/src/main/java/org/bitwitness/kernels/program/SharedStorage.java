package org.bitwitness.kernels.program;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.kernels.op.Operator;

/**
 * Activations that share one array because they are cheap to compute again: results of norms and activation functions, of
 * which every block has its own and the backward needs one at a time. Before an operator that reads one which was
 * overwritten, the operator that made it runs again.
 *
 * <p>Derived from what operators read and write. The operator that runs again must find what it read the first time; a
 * program in which it would not is refused.
 */
final class SharedStorage {
    private final List<Operator> operators;
    private final List<List<Tensor>> groups;
    private final Map<Tensor, Integer> groupOf = new HashMap<>();
    // Of each tensor in a group the positions of the operators that write it, ascending.
    private final Map<Tensor, List<Integer>> writers = new HashMap<>();

    /**
     * @param groups tensors of one shape each; no tensor is in two
     */
    SharedStorage(List<Operator> operators, List<List<Tensor>> groups) {
        this.operators = operators;
        this.groups = groups.stream().map(List::copyOf).toList();
        for (int g = 0; g < groups.size(); g++) {
            for (Tensor tensor : groups.get(g)) {
                if (!tensor.shape().equals(groups.get(g).getFirst().shape())) {
                    throw new IllegalStateException("%s cannot share the storage of %s"
                            .formatted(tensor, groups.get(g).getFirst()));
                }
                if (groupOf.put(tensor, g) != null) {
                    throw new IllegalStateException(tensor + " would share storage twice");
                }
            }
        }
        for (int i = 0; i < operators.size(); i++) {
            for (Tensor tensor : operators.get(i).outputs()) {
                if (groupOf.containsKey(tensor)) {
                    writers.computeIfAbsent(tensor, t -> new ArrayList<>()).add(i);
                }
            }
        }
    }

    List<List<Tensor>> groups() {
        return groups;
    }

    boolean contains(Tensor tensor) {
        return groupOf.containsKey(tensor);
    }

    /**
     * Which operators run once more before which, ascending within each list.
     *
     * @param others operators that run again for other reasons
     */
    Map<Integer, List<Integer>> again(Map<Integer, List<Integer>> others) {
        Walk walk = new Walk();
        for (int i = 0; i < operators.size(); i++) {
            for (int other : others.getOrDefault(i, List.of())) {
                walk.run(other, i);
            }
            walk.prepare(i, i);
            walk.wrote(i);
        }
        return walk.again;
    }

    /** Runs a program on paper and notes whose numbers each array holds. */
    private final class Walk {
        private final Map<Integer, Tensor> held = new HashMap<>();
        private final Map<Integer, List<Integer>> again = new HashMap<>();

        void run(int operator, int before) {
            prepare(operator, before);
            again.computeIfAbsent(before, b -> new ArrayList<>()).add(operator);
            wrote(operator);
        }

        /** Makes the inputs of an operator what they should be. */
        void prepare(int operator, int before) {
            for (Tensor input : operators.get(operator).inputs()) {
                Integer group = groupOf.get(input);
                if (group != null && !input.equals(held.get(group))) {
                    run(maker(input, before), before);
                }
            }
        }

        void wrote(int operator) {
            for (Tensor output : operators.get(operator).outputs()) {
                Integer group = groupOf.get(output);
                if (group != null) {
                    held.put(group, output);
                }
            }
        }
    }

    private int maker(Tensor tensor, int before) {
        List<Integer> by = writers.getOrDefault(tensor, List.of());
        if (by.size() != 1 || by.getFirst() >= before) {
            throw new IllegalStateException(
                    "%s is overwritten before operator %d and cannot be made again: operators %s write it"
                            .formatted(tensor, before, by));
        }
        int maker = by.getFirst();
        for (int i = maker; i < before; i++) {
            if (operators.get(i).outputs().stream()
                    .anyMatch(operators.get(maker).inputs()::contains)) {
                throw new IllegalStateException(
                        "%s cannot be made again before operator %d: operator %d changes what it is made of"
                                .formatted(tensor, before, i));
            }
        }
        return maker;
    }
}
