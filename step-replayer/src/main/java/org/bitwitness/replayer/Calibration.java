package org.bitwitness.replayer;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.Backends;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.kernels.op.Linear;
import org.bitwitness.kernels.op.WeightLayout;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.tensor.Shape;

/**
 * How fast this machine is right now, from half a second of work.
 *
 * @param operationsPerSecond of one matrix product
 * @param bytesPerSecond of hashing, which a spilled tensor waits for longer than for the page cache
 */
public record Calibration(double operationsPerSecond, double bytesPerSecond) {
    /** A step is slower than its products alone: norms, attention, hashing, and memory. */
    private static final double OF_A_PRODUCT = 0.5;

    private static final Duration STARTING = Duration.ofSeconds(8);
    private static final double MOST_MILLIS = 1e15;
    private static final long ENOUGH_NANOS = 200_000_000L;
    private static final int LARGE = 384;
    private static final int SMALL = 64;
    private static final int HASHED_BYTES = 1 << 20;

    /**
     * Measures.
     *
     * @param nanos a clock that only goes forward
     * @throws org.bitwitness.kernels.BackendAbsentException if this machine has no such backend
     */
    public static Calibration measure(BackendId id, int threads, LongSupplier nanos) {
        try (Backend backend = Backends.create(id, threads)) {
            int n = id == BackendId.VECTOR ? LARGE : SMALL;
            Linear product = new Linear(
                    "calibration",
                    zeros(backend, "x", n),
                    zeros(backend, "w", n),
                    Optional.empty(),
                    WeightLayout.IN_OUT,
                    zeros(backend, "y", n));
            perSecond(1, nanos, () -> backend.linear(product));
            double rate = perSecond(2.0 * n * n * n, nanos, () -> backend.linear(product));
            MessageDigest digest = Hashing.newDigest();
            byte[] bytes = "bitwitness".repeat(HASHED_BYTES / 10).getBytes(StandardCharsets.US_ASCII);
            return new Calibration(rate, perSecond(bytes.length, nanos, () -> digest.update(bytes)));
        }
    }

    /** How long a unit takes, roughly: what else the machine does later is not known. */
    public Duration estimate(ReplayWork work) {
        double seconds = work.floatingPointOperations() / (operationsPerSecond * OF_A_PRODUCT)
                + work.spilledBytes() / bytesPerSecond;
        return STARTING.plusMillis((long) Math.min(seconds * 1000, MOST_MILLIS));
    }

    private static Tensor zeros(Backend backend, String name, int n) {
        Tensor tensor = Tensor.declare(name, Shape.of(n, n));
        backend.allocate(tensor);
        return tensor;
    }

    /** Runs for a while; how much of {@code each} a second that makes. */
    private static double perSecond(double each, LongSupplier nanos, Runnable work) {
        long start = nanos.getAsLong();
        long runs = 0;
        long passed = 0;
        while (passed < ENOUGH_NANOS) {
            work.run();
            runs++;
            passed = nanos.getAsLong() - start;
        }
        return runs * each * 1e9 / passed;
    }
}
