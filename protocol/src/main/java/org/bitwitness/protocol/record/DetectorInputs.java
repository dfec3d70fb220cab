package org.bitwitness.protocol.record;

import java.util.Arrays;
import java.util.List;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.bytes.CanonicalDecoder;
import org.bitwitness.protocol.bytes.CanonicalEncoder;

/**
 * What detectors read of one worker's gradient, as handed to the reduction, beside its step record.
 *
 * @param norm L2 norm, binary64
 * @param sketch {@link #SKETCH_SIZE} sums of the gradient's elements under random signs
 */
// The array is never changed after it is made; equality compares its content.
@SuppressWarnings("ArrayRecordComponent")
public record DetectorInputs(WorkerId worker, double norm, float[] sketch) {
    public static final int SKETCH_SIZE = 1024;

    public DetectorInputs {
        if (sketch.length != SKETCH_SIZE) {
            throw new IllegalArgumentException("a sketch has %d numbers, got %d".formatted(SKETCH_SIZE, sketch.length));
        }
    }

    /** {@code H(detectors, list of E(detector, workerId, norm f64, packed sketch))}, a step record's detectorDigest. */
    public static Sha256 digest(List<DetectorInputs> workers) {
        return CanonicalEncoder.of("detectors")
                .list(workers.stream().map(DetectorInputs::toBytes).toList())
                .hash();
    }

    /** Bytes of an item of the digest. */
    public byte[] toBytes() {
        int[] bits = new int[sketch.length];
        for (int i = 0; i < bits.length; i++) {
            bits[i] = Float.floatToIntBits(sketch[i]);
        }
        return CanonicalEncoder.of("detector")
                .u64(worker.value())
                .f64(norm)
                .packed32(bits)
                .toBytes();
    }

    public static DetectorInputs decode(byte[] encoded) throws ProtocolException {
        CanonicalDecoder in = CanonicalDecoder.open(encoded, "detector");
        int worker = in.count("workerId", WorkerId.MAX);
        double norm = in.f64("norm");
        int[] bits = in.packed32("sketch", SKETCH_SIZE);
        float[] sketch = new float[bits.length];
        for (int i = 0; i < bits.length; i++) {
            sketch[i] = Float.intBitsToFloat(bits[i]);
        }
        return in.build(() -> new DetectorInputs(new WorkerId(worker), norm, sketch));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DetectorInputs d
                && worker.equals(d.worker)
                && Double.doubleToLongBits(norm) == Double.doubleToLongBits(d.norm)
                && Arrays.equals(sketch, d.sketch);
    }

    @Override
    public int hashCode() {
        return 31 * worker.hashCode() + Arrays.hashCode(sketch);
    }

    @Override
    public String toString() {
        return "DetectorInputs[worker %s, norm %s]".formatted(worker, norm);
    }
}
