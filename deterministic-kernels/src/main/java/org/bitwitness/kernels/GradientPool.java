package org.bitwitness.kernels;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.bitwitness.kernels.op.Operator;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.StepProgram;

/**
 * Arrays for the gradients of one micro-batch, each from the first operator that writes it to the last; then its numbers are
 * added to the worker's gradient and the array serves another tensor of its size. A transformer's blocks follow one another,
 * so the pool holds one block's gradients and those of the embeddings instead of all.
 */
final class GradientPool {
    private final Backend backend;
    private final List<Tensor> gradients;
    private final Map<Integer, Deque<float[]>> free = new HashMap<>();

    /** @param gradients what operators write, in manifest order */
    GradientPool(Backend backend, List<Tensor> gradients) {
        this.backend = backend;
        this.gradients = gradients;
    }

    /** Which gradients begin and end at an operator, as positions in manifest order. */
    record Lifetimes(List<List<Integer>> beginning, List<List<Integer>> ending) {
        static Lifetimes of(StepProgram program, List<Tensor> gradients) {
            List<Operator> operators = program.operators();
            List<List<Integer>> beginning = new ArrayList<>();
            List<List<Integer>> ending = new ArrayList<>();
            operators.forEach(_ -> {
                beginning.add(new ArrayList<>());
                ending.add(new ArrayList<>());
            });
            for (int g = 0; g < gradients.size(); g++) {
                int first = -1;
                int last = -1;
                for (int i = 0; i < operators.size(); i++) {
                    if (operators.get(i).outputs().contains(gradients.get(g))) {
                        first = first < 0 ? i : first;
                        last = i;
                    }
                }
                beginning.get(first).add(g);
                ending.get(last).add(g);
            }
            return new Lifetimes(beginning, ending);
        }
    }

    /** Gives arrays to the gradients that begin at this operator; each is written completely by it. */
    void begin(Lifetimes lifetimes, int operator) {
        for (int g : lifetimes.beginning().get(operator)) {
            Tensor tensor = gradients.get(g);
            float[] taken =
                    free.computeIfAbsent(tensor.size(), _ -> new ArrayDeque<>()).poll();
            backend.bind(tensor, taken == null ? new float[tensor.size()] : taken);
        }
    }

    /** Adds the gradients that end at this operator to {@code sums} and takes their arrays back. */
    void end(Lifetimes lifetimes, int operator, List<Tensor> sums) {
        for (int g : lifetimes.ending().get(operator)) {
            Tensor tensor = gradients.get(g);
            backend.add(List.of(sums.get(g)), List.of(tensor));
            free.computeIfAbsent(tensor.size(), _ -> new ArrayDeque<>()).push(backend.fetch(tensor));
        }
    }

    /**
     * Hands the gradients that end at this operator to {@code sum} and takes their arrays back.
     *
     * @param first whether they are the sum so far; else they are added to it
     */
    void end(Lifetimes lifetimes, int operator, Gradients sum, boolean first) {
        for (int g : lifetimes.ending().get(operator)) {
            Tensor tensor = gradients.get(g);
            float[] data = backend.fetch(tensor);
            if (first) {
                sum.keep(g, data);
            } else {
                Tensor total = Tensor.declare(tensor.name(), tensor.shape());
                backend.bind(total, sum.tensor(g));
                backend.add(List.of(total), List.of(tensor));
                sum.keep(g, backend.fetch(total));
                backend.release(List.of(total));
            }
            free.computeIfAbsent(tensor.size(), _ -> new ArrayDeque<>()).push(data);
        }
    }

    /** Bytes of all arrays that a micro-batch needs at its most crowded operator. */
    static long bytes(StepProgram program, List<Tensor> gradients) {
        Lifetimes lifetimes = Lifetimes.of(program, gradients);
        Map<Integer, Integer> live = new HashMap<>();
        Map<Integer, Integer> most = new HashMap<>();
        for (int i = 0; i < program.operators().size(); i++) {
            for (int g : lifetimes.beginning().get(i)) {
                int now = live.merge(gradients.get(g).size(), 1, Integer::sum);
                most.merge(gradients.get(g).size(), now, Math::max);
            }
            lifetimes.ending().get(i).forEach(g -> live.merge(gradients.get(g).size(), -1, Integer::sum));
        }
        long bytes = 0;
        for (Map.Entry<Integer, Integer> size : most.entrySet()) {
            bytes = Math.addExact(bytes, (long) size.getKey() * size.getValue() * Float.BYTES);
        }
        return bytes;
    }
}
