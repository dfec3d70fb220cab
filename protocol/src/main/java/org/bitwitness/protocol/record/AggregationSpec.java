package org.bitwitness.protocol.record;

/**
 * How workers' gradients become one.
 *
 * @param tree {@code ascending}, {@code binary-blocks} or nested pairs for ORDERED; {@code none} for EXACT
 */
public record AggregationSpec(Averaging averaging, Reduction reduction, String tree) {
    public static final String NO_TREE = "none";

    public AggregationSpec {
        if ((reduction == Reduction.EXACT) != tree.equals(NO_TREE)) {
            throw new IllegalArgumentException(
                    "aggregation.tree should be \"none\" exactly for EXACT, is \"" + tree + "\"");
        }
    }

    /** What step records of {@code workers} workers say in their {@code reduction} field. */
    public String reductionText(int workers) {
        return switch (reduction) {
            case ORDERED -> "ORDERED " + ReductionTree.ofWord(tree, workers).text();
            case EXACT -> "EXACT";
        };
    }
}
