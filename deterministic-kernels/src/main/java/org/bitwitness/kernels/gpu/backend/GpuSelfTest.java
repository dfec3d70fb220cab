package org.bitwitness.kernels.gpu.backend;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.FunctionSweep;
import org.bitwitness.kernels.ScalarFunction;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.kernels.op.Linear;
import org.bitwitness.kernels.op.LinearWeightGradient;
import org.bitwitness.kernels.op.WeightLayout;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.tensor.Shape;
import org.bitwitness.protocol.tensor.TensorDigests;

/** What a device has to show beside the golden training steps, for {@code doctor}. */
public final class GpuSelfTest {
    /** On a card every input of every function; emulated, one of so many. */
    private static final int EMULATED_STRIDE = (1 << 14) + 1;

    private static final long SEED = 20_260_403L;
    private static final int ELEMENTS = 1000;
    private static final int HASHED = 3 * 4096 + 17;

    /** Sizes of a product that takes large tiles; no golden step is large enough for them. */
    private record Product(int rows, int outputs, int inputs) {
        /** Multiples of four move 16 bytes at a time, others one element. */
        static final List<Product> ON_A_CARD = List.of(new Product(1024, 1024, 1028), new Product(1021, 1019, 1027));

        /** As many tiles, nearly all of them empty. */
        static final List<Product> EMULATED =
                List.of(new Product(63 * 128 + 4, 4, 20), new Product(63 * 128 + 3, 3, 19));
    }

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
        boolean card = device.id() == BackendId.CUDA;
        for (Product sizes : card ? Product.ON_A_CARD : Product.EMULATED) {
            findings.add(product(device, oracle, sizes));
        }
        findings.add(functions(device, oracle));
        findings.add(weightedSum(device, oracle));
        long stride = card ? 1 : EMULATED_STRIDE;
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

    /** Every function as an operator: the sweeps take another kernel. */
    private static Finding functions(GpuBackend device, Backend oracle) {
        float[] data = new float[ELEMENTS];
        for (int i = 0; i < data.length; i++) {
            data[i] = Float.intBitsToFloat(i * 0x9e3779b9);
        }
        List<String> wrong = new ArrayList<>();
        for (ScalarFunction function : ScalarFunction.values()) {
            if (!Arrays.equals(applied(oracle, function, data), applied(device, function, data))) {
                wrong.add(function.text());
            }
        }
        return compared("functions on it", wrong);
    }

    private static float[] applied(Backend backend, ScalarFunction function, float[] data) {
        Tensor x = bound(backend, "x", data.clone());
        Tensor y = bound(backend, "y", new float[data.length]);
        backend.apply(function, x, y);
        float[] result = backend.fetch(y).clone();
        backend.release(List.of(x, y));
        return result;
    }

    private static Finding weightedSum(GpuBackend device, Backend oracle) {
        boolean equal = Arrays.equals(weightedSum(oracle), weightedSum(device));
        return compared("weighted sum on it", equal ? List.of() : List.of("three terms"));
    }

    private static float[] weightedSum(Backend backend) {
        SplittableRandom random = new SplittableRandom(SEED);
        float[] weights = {0x1.555556p-2f, 0x1.2p-3f, -0x1.99999ap-4f};
        List<List<Tensor>> terms = new ArrayList<>();
        for (int w = 0; w < weights.length; w++) {
            terms.add(List.of(drawn(backend, random, 1, ELEMENTS)));
        }
        Tensor out = empty(backend, 1, ELEMENTS);
        backend.weightedSum(terms, weights, List.of(out));
        float[] result = backend.fetch(out).clone();
        terms.forEach(backend::release);
        backend.release(List.of(out));
        return result;
    }

    private static Finding compared(String name, List<String> wrong) {
        return new Finding(
                name,
                wrong.isEmpty(),
                wrong.isEmpty() ? "all bits as on the CPU" : "other bits than on the CPU: " + wrong);
    }

    /** The three storage orders of a product, against the oracle. */
    private static Finding product(GpuBackend device, Backend oracle, Product sizes) {
        List<float[]> expected = products(oracle, sizes);
        List<float[]> found = products(device, sizes);
        List<String> wrong = new ArrayList<>();
        List<String> orders = List.of("forward", "forward of a transposed weight", "weight gradient");
        for (int i = 0; i < orders.size(); i++) {
            if (!Arrays.equals(expected.get(i), found.get(i))) {
                wrong.add(orders.get(i));
            }
        }
        return compared("product %d x %d x %d".formatted(sizes.rows, sizes.outputs, sizes.inputs), wrong);
    }

    private static List<float[]> products(Backend backend, Product sizes) {
        SplittableRandom random = new SplittableRandom(SEED);
        Tensor x = drawn(backend, random, sizes.rows, sizes.inputs);
        Tensor inOut = drawn(backend, random, sizes.inputs, sizes.outputs);
        Tensor outIn = drawn(backend, random, sizes.outputs, sizes.inputs);
        Tensor y = empty(backend, sizes.rows, sizes.outputs);
        backend.linear(new Linear("forward", x, inOut, Optional.empty(), WeightLayout.IN_OUT, y));
        float[] forward = backend.fetch(y).clone();
        backend.linear(new Linear("transposed", x, outIn, Optional.empty(), WeightLayout.OUT_IN, y));
        float[] transposed = backend.fetch(y).clone();
        Tensor left = drawn(backend, random, sizes.inputs, sizes.rows);
        backend.linearWeightGradient(
                new LinearWeightGradient("gradient", left, inOut, WeightLayout.IN_OUT, y, Optional.empty()));
        float[] gradient = backend.fetch(y).clone();
        backend.release(List.of(x, inOut, outIn, y, left));
        return List.of(forward, transposed, gradient);
    }

    private static Tensor drawn(Backend backend, SplittableRandom random, int rows, int columns) {
        float[] data = new float[rows * columns];
        for (int i = 0; i < data.length; i++) {
            data[i] = (random.nextInt() >> 8) * 0x1p-23f;
        }
        Tensor tensor = Tensor.declare("drawn", Shape.of(rows, columns));
        backend.bind(tensor, data);
        return tensor;
    }

    private static Tensor empty(Backend backend, int rows, int columns) {
        Tensor tensor = Tensor.declare("result", Shape.of(rows, columns));
        backend.allocate(tensor);
        return tensor;
    }

    private static Tensor bound(Backend device, String name, float[] data) {
        Tensor tensor = Tensor.declare(name, Shape.of(data.length));
        device.bind(tensor, data);
        return tensor;
    }
}
