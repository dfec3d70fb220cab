package org.bitwitness.protocol.record;

/**
 * How workers' gradients become one.
 *
 * @param averaging WORKERS for the robust rules, which compare gradients that stand each for itself
 * @param tree {@code ascending}, {@code binary-blocks} or nested pairs for ORDERED; {@code none} for all others
 */
public record AggregationSpec(Averaging averaging, Reduction reduction, String tree) {
    public static final String NO_TREE = "none";

    public AggregationSpec {
        if ((reduction instanceof Reduction.Ordered) == tree.equals(NO_TREE)) {
            throw new IllegalArgumentException(
                    "aggregation.tree should be \"none\" exactly where aggregation.reduction is not ORDERED, is \""
                            + tree + "\"");
        }
        requireAveraging(reduction, averaging);
    }

    /**
     * Refuses TOKENS for a robust rule: there a gradient's size depends on how many targets its worker has.
     *
     * @throws IllegalArgumentException naming both
     */
    public static void requireAveraging(Reduction reduction, Averaging averaging) {
        if (reduction instanceof Reduction.Robust && averaging != Averaging.WORKERS) {
            throw new IllegalArgumentException(
                    "%s should come with averaging WORKERS, is with %s".formatted(reduction.text(), averaging));
        }
    }

    /** What step records of {@code workers} workers say in their {@code reduction} field. */
    public String reductionText(int workers) {
        reduction.requireWorkers(workers);
        return switch (reduction) {
            case Reduction.Ordered _ ->
                "ORDERED " + ReductionTree.ofWord(tree, workers).text();
            case Reduction.Exact _, Reduction.Robust _ -> reduction.text();
        };
    }
}
