package org.bitwitness.protocol.record;

import java.util.HashSet;
import java.util.List;
import java.util.stream.IntStream;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.bytes.CanonicalEncoder;

/** The workers of a step in their order; every rule that says "position" means the place in this list. */
public record Layout(List<WorkerId> workers) {
    public static final int MAX_WORKERS = 65_536;

    public Layout {
        workers = List.copyOf(workers);
        if (workers.isEmpty() || workers.size() > MAX_WORKERS) {
            throw new IllegalArgumentException(
                    "a layout has from 1 to %d workers, got %d".formatted(MAX_WORKERS, workers.size()));
        }
        if (new HashSet<>(workers).size() != workers.size()) {
            throw new IllegalArgumentException("a worker is twice in the layout " + workers);
        }
    }

    /** Workers 0 to {@code count} − 1 in order. */
    public static Layout ofCount(int count) {
        return new Layout(IntStream.range(0, count).mapToObj(WorkerId::new).toList());
    }

    public int size() {
        return workers.size();
    }

    /** {@code H(layout, workerId…)}, the scalar that ties a state to the layout of its next step. */
    public Sha256 digest() {
        return CanonicalEncoder.of("layout").u64List(ids()).hash();
    }

    long[] ids() {
        return workers.stream().mapToLong(WorkerId::value).toArray();
    }
}
