package org.bitwitness.cli.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.kernels.gpu.backend.GpuBackend;
import org.bitwitness.kernels.op.Linear;
import org.bitwitness.kernels.op.WeightLayout;
import org.bitwitness.kernels.ptx.emulator.EmulatedDevice;
import org.bitwitness.kernels.ptx.emulator.EmulatorOptions;
import org.bitwitness.kernels.ptx.emulator.EmulatorStatistics;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.tensor.Shape;
import org.bitwitness.protocol.tensor.TensorDigests;

/** What is measured on a device. Every figure is of work that is known to be done: the device is waited for. */
final class GpuMeasurements {
    private static final int[] SIZES = {1024, 2048, 4096, 8192};
    private static final int[] QUICK_SIZES = {64, 128};
    private static final int RUNS = 5;

    /** A gigabyte: more than any cache, less than any card. */
    private static final int HASHED_FLOATS = 250_000_000;

    private static final int QUICK_HASHED_FLOATS = 100_000;
    private static final int EMULATOR_WARM_UPS = 15;
    private static final double GIGA = 1e9;

    private GpuMeasurements() {}

    /** Products of square matrices, in 10^9 floating-point operations a second; a multiply-add is two. */
    static List<GpuRow> gemm(GpuBackend device, boolean quick) {
        List<GpuRow> rows = new ArrayList<>();
        for (int n : quick ? QUICK_SIZES : SIZES) {
            Tensor x = filled(device, "x", n);
            Tensor weight = filled(device, "weight", n);
            Tensor y = Tensor.declare("y", Shape.of(n, n));
            device.allocate(y);
            Linear product = new Linear("product", x, weight, Optional.empty(), WeightLayout.IN_OUT, y);
            double seconds = median(quick ? 1 : RUNS, device, () -> device.linear(product));
            rows.add(new GpuRow("gemm-" + n, 2.0 * n * n * n / seconds / GIGA, "GFLOP/s"));
            device.release(List.of(x, weight, y));
        }
        return rows;
    }

    /** Training steps of a GPT-2: whole ones, and the part that a worker's gradient takes. */
    static List<GpuRow> step(GpuBackend device, StepSize size, int runs) {
        StepCase step = new StepCase(size, device); // the device is closed by whoever made it
        step.once();
        double[] gradients = new double[runs];
        double[] rests = new double[runs];
        for (int run = 0; run < runs; run++) {
            double[] seconds = step.timed();
            gradients[run] = seconds[0];
            rests[run] = seconds[1];
        }
        double gradient = median(gradients);
        double whole = gradient + median(rests);
        return List.of(
                new GpuRow(size.name(), step.tokens() / whole, "tokens/s"),
                new GpuRow(size.name() + "-gradient", step.tokens() / gradient, "tokens/s"),
                new GpuRow(size.name() + "-memory", device.memoryInUse() / GIGA, "GB"));
    }

    /** The root of a large tensor, where it is. */
    static List<GpuRow> hash(GpuBackend device, boolean quick) throws CommandFailure {
        float[] data = new float[quick ? QUICK_HASHED_FLOATS : HASHED_FLOATS];
        for (int i = 0; i < data.length; i++) {
            data[i] = i;
        }
        Tensor tensor = Tensor.declare("hashed", Shape.of(data.length));
        device.bind(tensor, data);
        Sha256 expected = TensorDigests.tensorRoot(data, 0, data.length);
        Sha256 found = device.tensorRoot(tensor);
        if (!found.equals(expected)) {
            throw CommandFailure.refused("the device's root is %s, the host's %s".formatted(found, expected));
        }
        double seconds = median(quick ? 1 : RUNS, device, () -> device.tensorRoot(tensor));
        return List.of(new GpuRow("hash", 4.0 * data.length / seconds / GIGA, "GB/s"));
    }

    /** How fast the emulator interprets a matrix product on one thread of this machine. Needs no card. */
    static List<GpuRow> emulator() {
        EmulatedDevice device = new EmulatedDevice(EmulatorOptions.fast(1));
        try (GpuBackend backend = new GpuBackend(BackendId.PTX_EMULATOR, device)) {
            // The JVM has compiled the interpreter after some hundred million instructions.
            for (int i = 0; i < EMULATOR_WARM_UPS; i++) {
                gemm(backend, true);
            }
            EmulatorStatistics before = device.statistics();
            gemm(backend, true);
            EmulatorStatistics after = device.statistics();
            double seconds = after.time().minus(before.time()).toNanos() / GIGA;
            double instructions = after.instructions() - before.instructions();
            return List.of(new GpuRow("emulator", instructions / seconds / 1e6, "10^6 instructions/s"));
        }
    }

    private static Tensor filled(GpuBackend device, String name, int n) {
        float[] data = new float[n * n];
        for (int i = 0; i < data.length; i++) {
            data[i] = (i % 251 - 125) * 0x1p-7f;
        }
        Tensor tensor = Tensor.declare(name, Shape.of(n, n));
        device.bind(tensor, data);
        return tensor;
    }

    /** Seconds of one execution, after one that loads and warms up. */
    private static double median(int runs, GpuBackend device, Runnable work) {
        work.run();
        device.finish();
        double[] seconds = new double[runs];
        for (int run = 0; run < runs; run++) {
            long started = System.nanoTime();
            work.run();
            device.finish();
            seconds[run] = (System.nanoTime() - started) / GIGA;
        }
        return median(seconds);
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
