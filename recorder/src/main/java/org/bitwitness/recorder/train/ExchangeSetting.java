package org.bitwitness.recorder.train;

/**
 * How workers exchange gradients. No bit of the result depends on it.
 *
 * @param bucketBytes about how much of a gradient is sent at a time, where it goes directly
 */
public record ExchangeSetting(Path path, int bucketBytes) {
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
    }

    public static ExchangeSetting direct(int bucketBytes) {
        return new ExchangeSetting(Path.DIRECT, bucketBytes);
    }
}
