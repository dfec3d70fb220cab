package org.bitwitness.kernels.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.BackendAbsentException;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.Backends;
import org.bitwitness.kernels.FunctionSweep;
import org.bitwitness.kernels.GpuComparisons;
import org.bitwitness.kernels.ScalarFunction;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.kernels.gpu.backend.GpuBackend;
import org.bitwitness.kernels.gpu.backend.GpuSweep;
import org.bitwitness.kernels.gpu.backend.PtxLibrary;
import org.bitwitness.kernels.ptx.emulator.EmulatedDevice;
import org.bitwitness.kernels.ptx.emulator.EmulatorOptions;
import org.bitwitness.kernels.ptx.emulator.ThreadOrder;
import org.bitwitness.protocol.tensor.Shape;
import org.bitwitness.protocol.tensor.TensorDigests;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The shipped PTX, emulated, against the oracle: every operator, whole training steps, digests, sweeps. */
class PtxEmulatorBackendTest {
    private static final long SEED = Long.getLong("tests.seed", 20_260_402L);
    private static final int CASES = Integer.getInteger("tests.cases", 2);
    private static final int MANY_CASES = 18;
    private static final int STRIDE = (1 << 15) + 1;

    private static GpuBackend emulator(EmulatorOptions options) {
        return new GpuBackend(BackendId.PTX_EMULATOR, new EmulatedDevice(options));
    }

    static List<String> kinds() {
        return GpuComparisons.kinds();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("kinds")
    void everyOperatorAgreesWithTheOracleAndBreaksNoRule(String kind) {
        try (Backend backend = emulator(EmulatorOptions.withChecks())) {
            assertEquals(List.of(), GpuComparisons.differences(kind, backend, SEED, CASES), "tests.seed=" + SEED);
        }
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"linear", "linearInputGradient", "linearWeightGradient"})
    void largeTilesAgreeOnSmallProductsToo(String kind) {
        EmulatedDevice device = new EmulatedDevice(EmulatorOptions.withChecks());
        try (Backend backend = new GpuBackend(BackendId.PTX_EMULATOR, device, PtxLibrary.kernels(), 1)) {
            assertEquals(List.of(), GpuComparisons.differences(kind, backend, SEED, 2 * CASES), "tests.seed=" + SEED);
        }
    }

    static List<Arguments> kindsAndOrders() {
        List<Arguments> out = new ArrayList<>();
        for (String kind : kinds()) {
            out.add(Arguments.of(kind, ThreadOrder.forward()));
            out.add(Arguments.of(kind, ThreadOrder.reverse()));
            out.add(Arguments.of(kind, ThreadOrder.random(SEED)));
        }
        return out;
    }

    @Tag("slow")
    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("kindsAndOrders")
    void noOrderOfThreadsChangesABit(String kind, ThreadOrder order) {
        try (Backend backend = emulator(EmulatorOptions.withChecks(order))) {
            assertEquals(List.of(), GpuComparisons.differences(kind, backend, SEED, MANY_CASES), "seed " + SEED);
        }
    }

    static List<String> families() {
        return GpuComparisons.goldenFamilies();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("families")
    void reproducesAGoldenTrainingStep(String family) {
        assertEquals(List.of(), GpuComparisons.goldenRun(family, emulator(EmulatorOptions.fast(2)), 1));
    }

    @Tag("slow")
    @ParameterizedTest(name = "{0}")
    @MethodSource("families")
    void reproducesTheWholeGoldenRunWithEveryCheck(String family) {
        assertEquals(List.of(), GpuComparisons.goldenRun(family, emulator(EmulatorOptions.withChecks()), 3));
    }

    @ParameterizedTest(name = "{0} elements")
    @ValueSource(ints = {1, 2, 3, 13, 14, 4095, 4096, 4097, 3 * 4096, 7 * 4096 + 1})
    void hashesATensorToTheRootOfTheHost(int size) {
        SplittableRandom random = new SplittableRandom(SEED + size);
        float[] data = new float[size];
        for (int i = 0; i < size; i++) {
            data[i] = Float.intBitsToFloat(random.nextInt(5) == 0 ? 0x7fffffff : random.nextInt());
        }
        try (GpuBackend backend = emulator(EmulatorOptions.withChecks())) {
            Tensor tensor = Tensor.declare("x", Shape.of(size));
            backend.bind(tensor, data);
            assertEquals(TensorDigests.tensorRoot(data, 0, size), backend.tensorRoot(tensor));
        }
    }

    @Test
    void sweepsOfAllFunctionsAddUpAsOnTheCpu() {
        try (GpuBackend backend = emulator(EmulatorOptions.fast(2));
                Backend vector = Backends.create(BackendId.VECTOR, 2)) {
            for (ScalarFunction function : ScalarFunction.values()) {
                assertEquals(
                        FunctionSweep.strided(vector, function, STRIDE, done -> {}),
                        backend.sweep(GpuSweep.valueOf(function.name()), STRIDE),
                        function.text());
            }
        }
    }

    @Test
    void aTensorStaysOnTheDeviceUntilItIsReleased() {
        EmulatedDevice device = new EmulatedDevice(EmulatorOptions.withChecks());
        try (GpuBackend backend = new GpuBackend(BackendId.PTX_EMULATOR, device)) {
            Tensor tensor = Tensor.declare("t", Shape.of(1000));
            float[] host = new float[1000];
            Arrays.fill(host, 3f);
            backend.bind(tensor, host);
            backend.scale(List.of(tensor), 2f);
            assertEquals(6f, backend.fetch(tensor)[999]);
            assertEquals(3f, host[999], "the host's array is not the device's");
            long inUse = device.memoryInUse();
            for (int i = 0; i < 10; i++) {
                Tensor next = Tensor.declare("next", Shape.of(1000));
                backend.bind(next, host);
                backend.scale(List.of(next), 2f);
                backend.release(List.of(next));
            }
            assertTrue(device.memoryInUse() <= inUse + 4000, "a released buffer is used again");
            backend.release(List.of(tensor));
            assertThrows(IllegalStateException.class, () -> backend.scale(List.of(tensor), 2f));
        }
    }

    /** The device sorts 2^18 elements of every worker at a time. */
    @Test
    void trimsATensorThatIsLargerThanWhatIsSortedAtATime() {
        int size = (1 << 18) + 3;
        SplittableRandom random = new SplittableRandom(SEED);
        List<float[]> values = new ArrayList<>();
        for (int w = 0; w < 3; w++) {
            float[] data = new float[size];
            for (int i = 0; i < size; i++) {
                data[i] = random.nextInt(9) - 4;
            }
            values.add(data);
        }
        float[][] results = new float[2][];
        for (int b = 0; b < 2; b++) {
            try (Backend backend = b == 0 ? Backends.create(BackendId.VECTOR, 1) : emulator(EmulatorOptions.fast(2))) {
                List<Tensor> byWorker = new ArrayList<>();
                for (float[] data : values) {
                    Tensor tensor = Tensor.declare("w", Shape.of(size));
                    backend.bind(tensor, data.clone());
                    byWorker.add(tensor);
                }
                Tensor out = Tensor.declare("out", Shape.of(size));
                backend.allocate(out);
                backend.trimmedMean(byWorker, 1, out);
                results[b] = backend.fetch(out);
            }
        }
        assertArrayEquals(results[0], results[1]);
    }

    @Test
    void whatDoesNotFitIsRefusedAndSaysWhatToDo() {
        try (GpuBackend backend = emulator(EmulatorOptions.withChecks().withMemoryLimit(10_000))) {
            Tensor small = Tensor.declare("small", Shape.of(1000));
            backend.allocate(small);
            GpuException refused =
                    assertThrows(GpuException.class, () -> backend.allocate(Tensor.declare("large", Shape.of(5000))));
            assertEquals(new GpuFailure.OutOfMemory(20_000, 4_000, 10_000), refused.failure());
            String message = refused.failure().message();
            assertTrue(message.contains("--gpu-memory"), message);
            backend.scale(List.of(small), 2f);
        }
    }

    /** Field report 28: without a usable card there is an error, never a CPU result under the GPU's name. */
    @Test
    void withoutACardTheCudaBackendIsAnErrorThatSaysWhatWasLookedFor() {
        if (Backends.whyAbsent(BackendId.CUDA).isEmpty()) {
            return;
        }
        BackendAbsentException absent =
                assertThrows(BackendAbsentException.class, () -> Backends.create(BackendId.CUDA, 1));
        assertTrue(absent.toString().contains("backend cuda is not available: no usable GPU"), absent.toString());
    }
}
