package org.bitwitness.protocol.record;

import org.bitwitness.protocol.Excerpt;

/** Reads and writes the nested pairs of a {@link ReductionTree}. */
final class TreeText {
    /** Deep enough for "ascending" over any group that runs today, shallow enough for the stack. */
    static final int MAX_DEPTH = 1024;

    private final String text;
    private int at;
    private int leaves;

    TreeText(String text) {
        this.text = text;
    }

    ReductionTree tree(int depth) {
        if (depth > MAX_DEPTH) {
            throw new IllegalArgumentException("a reduction tree is nested at most " + MAX_DEPTH + " deep");
        }
        if (peek() != '[') {
            leaves++;
            return new ReductionTree.Leaf(number());
        }
        expect('[');
        ReductionTree left = tree(depth + 1);
        expect(',');
        ReductionTree right = tree(depth + 1);
        expect(']');
        return new ReductionTree.Pair(left, right);
    }

    int leaves() {
        return leaves;
    }

    void end() {
        if (at != text.length()) {
            throw refuse();
        }
    }

    static void append(StringBuilder out, ReductionTree tree) {
        switch (tree) {
            case ReductionTree.Leaf leaf -> out.append(leaf.position());
            case ReductionTree.Pair pair -> {
                out.append('[');
                append(out, pair.left());
                out.append(',');
                append(out, pair.right());
                out.append(']');
            }
        }
    }

    private int number() {
        int start = at;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        int digits = at - start;
        if (digits == 0 || digits > 5 || (digits > 1 && text.charAt(start) == '0')) {
            throw refuse();
        }
        return Integer.parseInt(text.substring(start, at));
    }

    private char peek() {
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private void expect(char c) {
        if (peek() != c) {
            throw refuse();
        }
        at++;
    }

    private IllegalArgumentException refuse() {
        return new IllegalArgumentException(
                "a reduction tree is nested pairs like [[[0,1],2],3], without spaces, is \"" + Excerpt.of(text) + "\"");
    }
}
