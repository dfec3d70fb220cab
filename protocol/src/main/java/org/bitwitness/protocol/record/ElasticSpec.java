package org.bitwitness.protocol.record;

import java.util.List;
import java.util.Optional;

/**
 * How the layout of a run may change between steps. Step records say which layout each step had; this says which ones
 * they may say.
 *
 * @param plan changes that are known before the run, by ascending step
 * @param dropsLost whether a step may also go on without workers of the step before it
 */
public record ElasticSpec(List<Change> plan, boolean dropsLost) {
    public static final int MAX_CHANGES = 1 << 16;

    public ElasticSpec {
        plan = List.copyOf(plan);
        if (plan.size() > MAX_CHANGES || (plan.isEmpty() && !dropsLost)) {
            throw new IllegalArgumentException(
                    "elastic: a plan has from 1 to %d changes, or none where lost workers are dropped, got %d"
                            .formatted(MAX_CHANGES, plan.size()));
        }
        for (int i = 1; i < plan.size(); i++) {
            if (plan.get(i).atStep() <= plan.get(i - 1).atStep()) {
                throw new IllegalArgumentException("elastic: changes stand by ascending step, but %d follows %d"
                        .formatted(plan.get(i).atStep(), plan.get(i - 1).atStep()));
            }
        }
    }

    /**
     * A change of the layout.
     *
     * @param atStep first step that has it
     * @param workers from then on
     */
    public record Change(long atStep, Layout workers) {
        public Change {
            if (atStep < 1) {
                throw new IllegalArgumentException(
                        "elastic: the layout of step 0 is the run's own, so a change is at step 1 or later, got "
                                + atStep);
            }
        }
    }

    /** The change that the plan has at a step. */
    Optional<Layout> at(long step) {
        int low = 0;
        int high = plan.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            Change change = plan.get(middle);
            if (change.atStep() == step) {
                return Optional.of(change.workers());
            }
            if (change.atStep() < step) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return Optional.empty();
    }
}
