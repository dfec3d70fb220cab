package org.bitwitness.replayer;

import java.util.List;

/**
 * What the process of a replay will hold at most, part by part.
 *
 * @param manner how
 * @param parts largest first in time, not in size: what the model needs, then what the process needs
 */
public record MemoryPlan(Manner manner, List<Part> parts) {
    private static final long MIB = 1L << 20;

    /**
     * One purpose of memory.
     *
     * @param heap whether it lies on the JVM's heap
     */
    public record Part(String name, long bytes, boolean heap) {
        public Part {
            if (bytes < 0) {
                throw new IllegalArgumentException("%s cannot need %d bytes".formatted(name, bytes));
            }
        }
    }

    public MemoryPlan {
        parts = List.copyOf(parts);
    }

    /** The heap's limit that fits the plan, a whole number of MiB. */
    public long heapBytes() {
        return roundedUp(sum(true));
    }

    /** Everything; what the operating system may count at most. */
    public long totalBytes() {
        return roundedUp(Math.addExact(heapBytes(), sum(false)));
    }

    private long sum(boolean heap) {
        long sum = 0;
        for (Part part : parts) {
            if (part.heap() == heap) {
                sum = Math.addExact(sum, part.bytes());
            }
        }
        return sum;
    }

    private static long roundedUp(long bytes) {
        return Math.multiplyExact(Math.ceilDiv(bytes, MIB), MIB);
    }
}
