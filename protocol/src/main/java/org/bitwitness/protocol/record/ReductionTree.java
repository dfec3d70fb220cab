package org.bitwitness.protocol.record;

import java.util.HashSet;
import java.util.Set;

/**
 * The order in which gradients are added: nested pairs of positions in the step's layout, {@code [[[0,1],2],3]}. Every
 * position occurs once.
 */
public sealed interface ReductionTree {
    int MAX_WORKERS = 65_536;

    /** The gradients of the worker at this position. */
    record Leaf(int position) implements ReductionTree {}

    /** Left plus right. */
    record Pair(ReductionTree left, ReductionTree right) implements ReductionTree {}

    /**
     * {@code [[[0,1],2],3]}: one after the other.
     *
     * @throws IllegalArgumentException if that nests deeper than a tree's text may
     */
    static ReductionTree ascending(int workers) {
        requireCount(workers);
        if (workers - 1 > TreeText.MAX_DEPTH) {
            throw new IllegalArgumentException(
                    "an ascending tree is for at most %d workers, there are %d: take binary-blocks"
                            .formatted(TreeText.MAX_DEPTH + 1, workers));
        }
        ReductionTree tree = new Leaf(0);
        for (int position = 1; position < workers; position++) {
            tree = new Pair(tree, new Leaf(position));
        }
        return tree;
    }

    /** tree(lo, n) = tree(lo, p) + tree(lo + p, n − p), where p is the largest power of two smaller than n. */
    static ReductionTree binaryBlocks(int workers) {
        requireCount(workers);
        return block(0, workers);
    }

    /**
     * The tree that a descriptor's word stands for: {@code ascending}, {@code binary-blocks}, or nested pairs.
     *
     * @throws IllegalArgumentException if the word is neither, or the pairs do not hold positions 0 to workers − 1
     */
    static ReductionTree ofWord(String word, int workers) {
        return switch (word) {
            case "ascending" -> ascending(workers);
            case "binary-blocks" -> binaryBlocks(workers);
            default -> parse(word, workers);
        };
    }

    /**
     * Reads nested pairs.
     *
     * @throws IllegalArgumentException if the text is not nested pairs of the positions 0 to workers − 1
     */
    static ReductionTree parse(String text, int workers) {
        requireCount(workers);
        TreeText in = new TreeText(text);
        ReductionTree tree = in.tree(0);
        in.end();
        Set<Integer> positions = new HashSet<>();
        collect(tree, positions);
        if (positions.size() != workers
                || in.leaves() != workers
                || !positions.stream().allMatch(position -> position < workers)) {
            throw new IllegalArgumentException(
                    "the tree should hold each position from 0 to %d once, is %s".formatted(workers - 1, text));
        }
        return tree;
    }

    /** The one spelling: no spaces. */
    default String text() {
        StringBuilder out = new StringBuilder();
        TreeText.append(out, this);
        return out.toString();
    }

    private static ReductionTree block(int low, int count) {
        if (count == 1) {
            return new Leaf(low);
        }
        int power = Integer.highestOneBit(count - 1);
        return new Pair(block(low, power), block(low + power, count - power));
    }

    private static void collect(ReductionTree tree, Set<Integer> positions) {
        switch (tree) {
            case Leaf leaf -> positions.add(leaf.position());
            case Pair pair -> {
                collect(pair.left(), positions);
                collect(pair.right(), positions);
            }
        }
    }

    private static void requireCount(int workers) {
        if (workers < 1 || workers > MAX_WORKERS) {
            throw new IllegalArgumentException("from 1 to %d workers, got %d".formatted(MAX_WORKERS, workers));
        }
    }
}
