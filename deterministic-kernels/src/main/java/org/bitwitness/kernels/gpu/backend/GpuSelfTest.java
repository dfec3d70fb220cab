package org.bitwitness.kernels.gpu.backend;

import java.util.ArrayList;
import java.util.List;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.FunctionSweep;
import org.bitwitness.kernels.ScalarFunction;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.tensor.Shape;
import org.bitwitness.protocol.tensor.TensorDigests;

/** What a device has to show beside the golden training steps, for {@code doctor}. */
public final class GpuSelfTest {
    /** On a card every input of every function; emulated, one of so many. */
    private static final int EMULATED_STRIDE = (1 << 14) + 1;

    private static final int HASHED = 3 * 4096 + 17;

    private GpuSelfTest() {}

    /**
     * One line of the report.
     *
     * @param found what was found, with what was expected where it differs
     */
    public record Finding(String name, boolean passed, String found) {}

    /**
     * Runs every check.
     *
     * @param oracle a backend of the CPU, which computes the sums that are not known
     * @throws org.bitwitness.kernels.gpu.GpuException if the device fails
     */
    public static List<Finding> run(GpuBackend device, Backend oracle) {
        List<Finding> findings = new ArrayList<>();
        findings.add(new Finding("device", true, device.describe()));
        findings.add(subnormals(device));
        findings.add(digest(device));
        long stride = device.id() == BackendId.CUDA ? 1 : EMULATED_STRIDE;
        for (GpuSweep sweep : GpuSweep.values()) {
            findings.add(sweep(device, oracle, sweep, stride));
        }
        return findings;
    }

    private static Finding sweep(GpuBackend device, Backend oracle, GpuSweep sweep, long stride) {
        long expected = stride == 1 ? sweep.knownAnswer() : expected(oracle, sweep, (int) stride);
        long found = device.sweep(sweep, stride);
        String inputs = stride == 1 ? "all 2^32 inputs" : "every " + stride + "th of 2^32 inputs";
        return new Finding(
                "sweep " + sweep.text(),
                expected == found,
                expected == found
                        ? "%s, sum %016x".formatted(inputs, found)
                        : "%s should sum to %016x, sum to %016x".formatted(inputs, expected, found));
    }

    private static long expected(Backend oracle, GpuSweep sweep, int stride) {
        for (ScalarFunction function : ScalarFunction.values()) {
            if (GpuSweep.of(function) == sweep) {
                return FunctionSweep.strided(oracle, function, stride, done -> {});
            }
        }
        return sweep == GpuSweep.SQRT
                ? FunctionSweep.strided(x -> (float) Math.sqrt(x), stride)
                : FunctionSweep.strided(x -> 1f / (float) x, stride);
    }

    /** Sums and products whose results are subnormal: a device that flushes them gives 0. */
    private static Finding subnormals(GpuBackend device) {
        float[] values = {Float.MIN_NORMAL, Float.MIN_VALUE, -Float.MIN_NORMAL};
        Tensor product = bound(device, "product", values);
        device.scale(List.of(product), 0.5f);
        Tensor sum = bound(device, "sum", values);
        device.add(List.of(sum), List.of(bound(device, "addend", new float[] {-Float.MIN_VALUE, Float.MIN_VALUE, 0f})));
        boolean kept = device.fetch(product)[0] == 0x1p-127f
                && device.fetch(product)[2] == -0x1p-127f
                && device.fetch(sum)[0] == Math.nextDown(Float.MIN_NORMAL)
                && device.fetch(sum)[1] == 0x1p-148f;
        return new Finding("subnormals on it", kept, kept ? "kept" : "flushed to zero: every verdict would be wrong");
    }

    private static Finding digest(GpuBackend device) {
        float[] data = new float[HASHED];
        for (int i = 0; i < data.length; i++) {
            data[i] = i % 7 == 0 ? Float.NaN : i * 0x1.000002p-3f;
        }
        Sha256 expected = TensorDigests.tensorRoot(data, 0, data.length);
        Sha256 found = device.tensorRoot(bound(device, "hashed", data));
        return new Finding(
                "digests on it",
                expected.equals(found),
                expected.equals(found) ? "as on the host" : "should be %s, is %s".formatted(expected, found));
    }

    private static Tensor bound(GpuBackend device, String name, float[] data) {
        Tensor tensor = Tensor.declare(name, Shape.of(data.length));
        device.bind(tensor, data);
        return tensor;
    }
}
