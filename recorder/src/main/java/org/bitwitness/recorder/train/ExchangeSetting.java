package org.bitwitness.recorder.train;

import java.util.List;
import java.util.Optional;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.PlantedFault;

/**
 * How workers exchange gradients, and who keeps the optimizer's moments. No bit of the result depends on it.
 *
 * @param bucketBytes about how much of a gradient is sent at a time, where it goes directly
 * @param sharded whether every worker keeps the moments of the elements that it combines, and no others
 */
public record ExchangeSetting(Path path, int bucketBytes, boolean sharded) {
    /** By the coordinator. */
    public static final ExchangeSetting STAR = new ExchangeSetting(Path.STAR, ExchangeSetting.DEFAULT_BUCKET_BYTES);

    public static final int DEFAULT_BUCKET_BYTES = 4 << 20;

    private static final int MAX_BUCKET_BYTES = 1 << 28;

    /** The ways that gradients go. */
    public enum Path {
        /** Every gradient to the coordinator, the combined one back. */
        STAR,
        /** Every worker combines a share of the elements and gives the sums to all. */
        DIRECT
    }

    public ExchangeSetting {
        if (bucketBytes < 1 || bucketBytes > MAX_BUCKET_BYTES) {
            throw new IllegalArgumentException(
                    "a bucket has 1 to %d bytes, got %d".formatted(MAX_BUCKET_BYTES, bucketBytes));
        }
        if (sharded && path == Path.STAR) {
            throw new IllegalArgumentException("a sharded optimizer state needs workers that combine a share of the"
                    + " gradient each: add --exchange direct, or keep the state replicated");
        }
    }

    /** Every worker keeps all moments. */
    public ExchangeSetting(Path path, int bucketBytes) {
        this(path, bucketBytes, false);
    }

    public static ExchangeSetting direct(int bucketBytes) {
        return new ExchangeSetting(Path.DIRECT, bucketBytes);
    }

    /** Gradients directly, and moments by share. */
    public static ExchangeSetting sharded(int bucketBytes) {
        return new ExchangeSetting(Path.DIRECT, bucketBytes, true);
    }

    /** Whether gradients of this run go directly; what needs all of them in one place goes by the coordinator. */
    boolean goesDirectly(Descriptor descriptor, List<PlantedFault> faults) {
        // A drill that changes the coordinator's sum needs a sum that the coordinator makes.
        return path == Path.DIRECT
                && MeshExchange.serves(descriptor)
                && faults.stream().noneMatch(PlantedFault.ReductionBit.class::isInstance);
    }

    /** Why a run cannot be trained so; empty where it can. */
    public Optional<String> refusal(Descriptor descriptor, List<PlantedFault> faults) {
        if (!sharded || goesDirectly(descriptor, faults)) {
            return Optional.empty();
        }
        String why = MeshExchange.serves(descriptor)
                ? "this drill changes the sum that the coordinator makes"
                : "the rule %s measures whole gradients, which only the coordinator has"
                        .formatted(descriptor.aggregation().reduction().text());
        return Optional.of(why + ", so no worker has a share of the sum to update a share of the state with: keep the"
                + " optimizer state replicated");
    }
}
