package org.bitwitness.kernels.program;

/**
 * The tree of float32 additions of an ORDERED combination; leaves are positions in the layout list. Its text is nested
 * pairs: {@code [[[0,1],2],3]}; a single worker is {@code 0}.
 */
public sealed interface ReductionTree {
    /** Largest number of workers a tree may have. */
    int MAX_LEAVES = 65_536;

    /** Deepest nesting that is read; "ascending" over more workers than this is built, never parsed. */
    int MAX_DEPTH = 1_024;

    /**
     * One worker's gradient.
     *
     * @param position position in the layout list, from 0
     */
    record Leaf(int position) implements ReductionTree {
        public Leaf {
            if (position < 0 || position >= MAX_LEAVES) {
                throw new IllegalArgumentException("positions are 0 to 65535, got " + position);
            }
        }

        @Override
        public String toString() {
            return Integer.toString(position);
        }
    }

    /** left + right. */
    record Node(ReductionTree left, ReductionTree right) implements ReductionTree {
        @Override
        public String toString() {
            return "[" + left + "," + right + "]";
        }
    }

    /** {@code [[[0,1],2],3]}. */
    static ReductionTree ascending(int workers) {
        requireCount(workers);
        ReductionTree tree = new Leaf(0);
        for (int w = 1; w < workers; w++) {
            tree = new Node(tree, new Leaf(w));
        }
        return tree;
    }

    /** tree(lo, n) = tree(lo, p) + tree(lo + p, n − p), p the largest power of two below n. */
    static ReductionTree binaryBlocks(int workers) {
        requireCount(workers);
        return blocks(0, workers);
    }

    /**
     * Reads nested pairs without spaces.
     *
     * @throws IllegalArgumentException if the text is malformed or a position of 0 … workers − 1 is missing or repeated
     */
    static ReductionTree parse(String text, int workers) {
        requireCount(workers);
        return new TreeParser(text, workers).parse();
    }

    /** Leaves, in order of addition. */
    default int leaves() {
        return switch (this) {
            case Leaf _ -> 1;
            case Node node -> node.left().leaves() + node.right().leaves();
        };
    }

    private static ReductionTree blocks(int low, int count) {
        if (count == 1) {
            return new Leaf(low);
        }
        int left = Integer.highestOneBit(count - 1);
        return new Node(blocks(low, left), blocks(low + left, count - left));
    }

    private static void requireCount(int workers) {
        if (workers < 1 || workers > MAX_DEPTH) {
            throw new IllegalArgumentException("need 1 to %d workers, got %d".formatted(MAX_DEPTH, workers));
        }
    }
}
