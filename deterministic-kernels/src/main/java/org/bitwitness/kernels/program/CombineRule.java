package org.bitwitness.kernels.program;

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
}
