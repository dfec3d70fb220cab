package org.bitwitness.kernels.program;

import java.util.BitSet;

/** Recursive descent over {@code tree = number | "[" tree "," tree "]"}, bounded in depth and length. */
final class TreeParser {
    private final String text;
    private final int workers;
    private final BitSet seen = new BitSet();
    private int at;

    TreeParser(String text, int workers) {
        this.text = text;
        this.workers = workers;
    }

    ReductionTree parse() {
        ReductionTree tree = tree(0);
        if (at != text.length()) {
            throw malformed("the end");
        }
        if (seen.cardinality() != workers) {
            throw new IllegalArgumentException(
                    "the reduction tree should name each of the positions 0 to %d once, position %d is missing"
                            .formatted(workers - 1, seen.nextClearBit(0)));
        }
        return tree;
    }

    private ReductionTree tree(int depth) {
        if (depth > ReductionTree.MAX_DEPTH) {
            throw new IllegalArgumentException("the reduction tree is nested deeper than " + ReductionTree.MAX_DEPTH);
        }
        if (at < text.length() && text.charAt(at) == '[') {
            at++;
            ReductionTree left = tree(depth + 1);
            expect(',');
            ReductionTree right = tree(depth + 1);
            expect(']');
            return new ReductionTree.Node(left, right);
        }
        return leaf();
    }

    private ReductionTree leaf() {
        int start = at;
        while (at < text.length() && at - start < 6 && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        if (at == start || (text.charAt(start) == '0' && at - start > 1)) {
            throw malformed("\"[\" or a position without leading zeros");
        }
        int position = Integer.parseInt(text, start, at, 10);
        if (position >= workers || seen.get(position)) {
            throw new IllegalArgumentException(
                    "position %d of the reduction tree is repeated or not below the %d workers"
                            .formatted(position, workers));
        }
        seen.set(position);
        return new ReductionTree.Leaf(position);
    }

    private void expect(char c) {
        if (at >= text.length() || text.charAt(at) != c) {
            throw malformed("\"" + c + "\"");
        }
        at++;
    }

    private IllegalArgumentException malformed(String expected) {
        return new IllegalArgumentException(
                "the reduction tree should have %s at character %d: nested pairs such as [[0,1],2]"
                        .formatted(expected, at));
    }
}
