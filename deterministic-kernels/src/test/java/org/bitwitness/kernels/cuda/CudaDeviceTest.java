package org.bitwitness.kernels.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.OptionalLong;
import jcuda.driver.CUresult;
import org.bitwitness.kernels.gpu.GpuException;
import org.bitwitness.kernels.gpu.GpuFailure;
import org.junit.jupiter.api.Test;

/** What can be shown without a card: its absence is said with what was looked for, and errors have types. */
final class CudaDeviceTest {
    @Test
    void saysWhatItLookedForWhereThereIsNoCard() {
        assumeTrue(CudaDriver.whyAbsent(0).isPresent(), "this machine has a card");
        GpuException e = assertThrows(
                GpuException.class,
                () -> JCudaDevice.open(new CudaOptions(0, OptionalLong.empty())).close());
        assertInstanceOf(GpuFailure.Absent.class, e.failure());
        assertTrue(
                e.failure().message().startsWith("no usable GPU: "), e.failure().message());
        assertTrue(e.failure().message().contains("nvidia-smi"), e.failure().message());
    }

    @Test
    void saysInALineWhyJCudaCouldNotBeLinked() {
        String pages = """
                Error while loading native library "JCudaDriver-12.6.0-linux-x86_64"
                Operating system name: Linux
                Stack trace from the attempt to load the library as a file:
                java.lang.UnsatisfiedLinkError: no JCudaDriver-12.6.0-linux-x86_64 in java.library.path: /usr/lib
                \tat java.base/java.lang.Runtime.loadLibrary0(Runtime.java:840)
                Stack trace from the attempt to load the library as a resource:
                java.lang.UnsatisfiedLinkError: /tmp/x/libJCudaDriver-12.6.0-linux-x86_64.so: libcuda.so.1: cannot open it
                \tat java.base/java.lang.Runtime.load0(Runtime.java:754)
                """;
        assertEquals(
                "libJCudaDriver-12.6.0-linux-x86_64.so: libcuda.so.1: cannot open it",
                JCudaLibrary.reason(new UnsatisfiedLinkError(pages)));
        assertEquals(
                "java.lang.NoClassDefFoundError: jcuda/driver/JCudaDriver",
                JCudaLibrary.reason(new NoClassDefFoundError("jcuda/driver/JCudaDriver")));
        assertTrue(JCudaLibrary.reason(new ExceptionInInitializerError(new IllegalStateException("not on a Mac")))
                .contains("not on a Mac"));
    }

    @Test
    void saysWhichCardItLookedFor() {
        String reason = CudaDriver.whyAbsent(4095).orElseThrow();
        assertTrue(reason.startsWith("no usable GPU: "), reason);
        assertTrue(reason.contains("device 4095"), reason);
    }

    @Test
    void namesBothVersionsWhenThePtxIsNewerThanTheDriver() {
        GpuFailure failure = CudaErrors.ofModule(
                CUresult.CUDA_ERROR_UNSUPPORTED_PTX_VERSION, new CudaErrors.ModuleLoad("linear.ptx", "9.0", 12040, ""));
        assertInstanceOf(GpuFailure.PtxRefused.class, failure);
        assertTrue(failure.message().contains("PTX version 9.0"), failure.message());
        assertTrue(failure.message().contains("CUDA 12.4"), failure.message());
    }

    @Test
    void keepsTheTranslatorsLog() {
        GpuFailure failure = CudaErrors.ofModule(
                CUresult.CUDA_ERROR_INVALID_PTX,
                new CudaErrors.ModuleLoad("linear.ptx", "6.4", 13000, "ptxas fatal : line 7"));
        assertTrue(failure.message().contains("ptxas fatal : line 7"), failure.message());
    }

    @Test
    void tellsAKernelsFaultFromALostCard() {
        assertInstanceOf(
                GpuFailure.LaunchFailed.class, CudaErrors.ofLaunch(CUresult.CUDA_ERROR_ILLEGAL_ADDRESS, "linear"));
        assertTrue(CudaErrors.ofLaunch(CUresult.CUDA_ERROR_LAUNCH_TIMEOUT, "linear")
                .message()
                .contains("kernel linear"));
        assertInstanceOf(
                GpuFailure.DeviceLost.class, CudaErrors.ofLaunch(CUresult.CUDA_ERROR_ECC_UNCORRECTABLE, "linear"));
        assertInstanceOf(GpuFailure.DeviceLost.class, CudaErrors.other(CUresult.CUDA_ERROR_UNKNOWN, "copying"));
        assertInstanceOf(GpuFailure.Absent.class, CudaErrors.other(CUresult.CUDA_ERROR_NO_DEVICE, "counting"));
    }

    @Test
    void readsVersionsAndRefusesOddOptions() {
        assertEquals("12.4", CudaErrors.version(12040));
        assertEquals("13.0", CudaErrors.version(13000));
        assertThrows(IllegalArgumentException.class, () -> new CudaOptions(-1, OptionalLong.empty()));
        assertThrows(IllegalArgumentException.class, () -> new CudaOptions(0, OptionalLong.of(0)));
    }
}
