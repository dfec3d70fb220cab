package org.bitwitness.kernels.program;

import org.bitwitness.protocol.record.Reduction;
import org.bitwitness.protocol.record.ReductionTree;

/** How the workers' gradients become one. */
public sealed interface CombineRule {
    /** A recorded tree of float32 additions. */
    record Ordered(ReductionTree tree) implements CombineRule {
        @Override
        public String toString() {
            return "ORDERED " + tree.text();
        }
    }

    /** Order-free sum of fixed-point integers with a shared exponent per segment. */
    record Exact() implements CombineRule {
        @Override
        public String toString() {
            return "EXACT";
        }
    }

    /** A rule that stands in for the workers' mean and that some liars cannot move arbitrarily. */
    record Robust(Reduction.Robust rule) implements CombineRule {
        @Override
        public String toString() {
            return rule.text();
        }
    }

    /**
     * What a run's aggregation says.
     *
     * @param tree a word or nested pairs; only ORDERED reads it
     * @throws IllegalArgumentException if there are too few workers for the rule, or the tree is of another size
     */
    static CombineRule of(Reduction reduction, String tree, int workers) {
        reduction.requireWorkers(workers);
        return switch (reduction) {
            case Reduction.Ordered _ -> new Ordered(ReductionTree.ofWord(tree, workers));
            case Reduction.Exact _ -> new Exact();
            case Reduction.Robust robust -> new Robust(robust);
        };
    }
}
