package org.bitwitness.replayer;

import java.util.List;
import java.util.Optional;
import org.bitwitness.kernels.trace.PlannedEntry;
import org.bitwitness.kernels.trace.TraceEntry;

/**
 * Finds the first operator whose output differs between a recorded trace and a replayed one. Both follow from the same
 * program, so entries correspond by position; that an entry's inputs are equal follows from all earlier entries being
 * equal, since an input is an earlier output, a tensor of the state or the batch.
 */
final class TraceSearch {

    /**
     * @param entry the operator
     * @param tensor its first output that differs
     */
    record Found(PlannedEntry entry, String tensor) {}

    private TraceSearch() {}

    /** @throws IllegalArgumentException if the traces are not of the same length */
    static Optional<Found> first(List<TraceEntry> recorded, List<TraceEntry> computed) {
        if (recorded.size() != computed.size()) {
            throw new IllegalArgumentException("traces of one program are equally long, got %d and %d"
                    .formatted(recorded.size(), computed.size()));
        }
        for (int i = 0; i < recorded.size(); i++) {
            TraceEntry mine = computed.get(i);
            TraceEntry theirs = recorded.get(i);
            for (int output = 0; output < mine.outputRoots().size(); output++) {
                if (!mine.outputRoots().get(output).equals(theirs.outputRoots().get(output))) {
                    return Optional.of(new Found(
                            mine.planned(), mine.planned().outputs().get(output).name()));
                }
            }
        }
        return Optional.empty();
    }
}
