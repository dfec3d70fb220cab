package org.bitwitness.replayer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.Backends;
import org.bitwitness.kernels.StepEngine;
import org.bitwitness.kernels.gpu.GpuFailure;
import org.bitwitness.kernels.gpu.backend.GpuBackend;
import org.bitwitness.kernels.ptx.emulator.EmulatedDevice;
import org.bitwitness.kernels.ptx.emulator.EmulatorOptions;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.Verdict;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A device that fails in the middle of a replay, its self-test behind it: nothing was decided, about anybody. */
class DeviceFailureTest {
    private static final String UNIT = "GRADIENT(1,0)";
    private static final int SELF_TEST_CONTEXT = 24;

    @TempDir
    private static Path temp;

    private static Path run;

    @BeforeAll
    static void train() throws Exception {
        run = temp.resolve("run");
        TestTrainer.train(run, TestTrainer.Shape.SMALL, Lie.NONE);
    }

    static List<Arguments> failures() {
        return List.of(
                Arguments.of(
                        FailingDevice.Call.ALLOCATE, 20, new GpuFailure.OutOfMemory(4096, 1000, 2000), "4096 bytes"),
                Arguments.of(
                        FailingDevice.Call.LAUNCH,
                        12,
                        new GpuFailure.LaunchFailed("linear_nn_32", "CUDA_ERROR_LAUNCH_FAILED"),
                        "kernel linear_nn_32 failed"),
                Arguments.of(
                        FailingDevice.Call.COPY_IN,
                        5,
                        new GpuFailure.DeviceLost("CUDA_ERROR_ECC_UNCORRECTABLE"),
                        "the GPU was lost"),
                Arguments.of(
                        FailingDevice.Call.COPY_OUT,
                        3,
                        new GpuFailure.DeviceLost("CUDA_ERROR_UNKNOWN"),
                        "the GPU was lost"),
                Arguments.of(
                        FailingDevice.Call.LOAD,
                        2,
                        new GpuFailure.PtxRefused("norm.ptx", "the driver does not take it"),
                        "PTX module norm.ptx is refused"));
    }

    @ParameterizedTest(name = "{0} after {1}: {2}")
    @MethodSource("failures")
    void isInconclusiveWithTheDevicesReason(FailingDevice.Call where, int before, GpuFailure failure, String words)
            throws Exception {
        ReplayReport report = replay(where, before, failure);
        assertEquals(Verdict.INCONCLUSIVE, report.verdict());
        String reason = report.reason().orElseThrow();
        assertTrue(reason.startsWith("the device failed: "), reason);
        assertTrue(reason.contains(words), reason);
        assertTrue(report.firstDifference().isEmpty());
    }

    /** Twin: the same device that never fails reproduces the unit. */
    @Test
    void theSameDeviceReproducesTheUnitWhenItDoesNotFail() throws Exception {
        ReplayReport report = replay(FailingDevice.Call.NEVER, 0, new GpuFailure.DeviceLost("never"));
        assertEquals(Verdict.REPRODUCED, report.verdict(), report.reason().orElse(""));
    }

    /** The self-test runs on the vector backend, which is quick; the unit on the device. */
    private static ReplayReport replay(FailingDevice.Call where, int before, GpuFailure failure) throws Exception {
        return Replays.replay(run, UNIT, BackendId.CUDA, 1, (tensors, id, threads) -> {
            if (id != BackendId.CUDA || tensors.model().context() == SELF_TEST_CONTEXT) {
                return StepEngine.create(tensors, Backends.create(BackendId.VECTOR, 1));
            }
            EmulatedDevice sound = new EmulatedDevice(EmulatorOptions.fast(1));
            return StepEngine.create(tensors, new GpuBackend(id, new FailingDevice(sound, where, before, failure)));
        });
    }
}
