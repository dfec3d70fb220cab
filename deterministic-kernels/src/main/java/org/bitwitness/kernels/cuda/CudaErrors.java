package org.bitwitness.kernels.cuda;

import jcuda.driver.CUresult;
import org.bitwitness.kernels.gpu.GpuFailure;

/** What the driver's error numbers mean for us. Uses constants only, so it works where there is no driver. */
final class CudaErrors {
    private CudaErrors() {}

    /** A failure of a launch, or of a later call in which an earlier launch's failure comes out. */
    static GpuFailure ofLaunch(int code, String kernel) {
        return switch (code) {
            case CUresult.CUDA_ERROR_ILLEGAL_ADDRESS ->
                failed(code, kernel, "it touched memory outside of its buffers");
            case CUresult.CUDA_ERROR_MISALIGNED_ADDRESS -> failed(code, kernel, "it touched a misaligned address");
            case CUresult.CUDA_ERROR_LAUNCH_TIMEOUT ->
                failed(code, kernel, "the display driver stopped it: use a card without a display, or a smaller batch");
            case CUresult.CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                    CUresult.CUDA_ERROR_ILLEGAL_INSTRUCTION,
                    CUresult.CUDA_ERROR_INVALID_ADDRESS_SPACE,
                    CUresult.CUDA_ERROR_INVALID_PC,
                    CUresult.CUDA_ERROR_INVALID_VALUE,
                    CUresult.CUDA_ERROR_ASSERT,
                    CUresult.CUDA_ERROR_LAUNCH_FAILED -> failed(code, kernel, "the driver stopped it");
            default -> other(code, "running kernel " + kernel);
        };
    }

    private static GpuFailure failed(int code, String kernel, String why) {
        return new GpuFailure.LaunchFailed(
                kernel,
                "%s (%s); launches queue up, so an earlier one may be meant: CUDA_LAUNCH_BLOCKING=1 in the environment tells"
                        .formatted(why, name(code)));
    }

    /** A failure of a call that launches nothing. */
    static GpuFailure other(int code, String doing) {
        return switch (code) {
            case CUresult.CUDA_ERROR_NO_DEVICE, CUresult.CUDA_ERROR_INVALID_DEVICE ->
                new GpuFailure.Absent("%s: %s".formatted(doing, name(code)));
            case CUresult.CUDA_ERROR_ECC_UNCORRECTABLE ->
                new GpuFailure.DeviceLost("memory error that its ECC cannot correct, while " + doing);
            default -> new GpuFailure.DeviceLost("%s while %s".formatted(name(code), doing));
        };
    }

    /** A module that the driver does not take. */
    static GpuFailure ofModule(int code, ModuleLoad load) {
        if (code == CUresult.CUDA_ERROR_UNSUPPORTED_PTX_VERSION) {
            return new GpuFailure.PtxRefused(
                    load.module,
                    "it is PTX version %s, the driver is for CUDA %s and does not know it: install a newer driver"
                            .formatted(load.ptxVersion, version(load.driverVersion)));
        }
        if (code == CUresult.CUDA_ERROR_OUT_OF_MEMORY) {
            return new GpuFailure.DeviceLost("no memory is left to translate module " + load.module);
        }
        return new GpuFailure.PtxRefused(
                load.module,
                "the driver (CUDA %s) does not take it (PTX %s): %s %s"
                        .formatted(version(load.driverVersion), load.ptxVersion, name(code), load.log.strip()));
    }

    /** What was asked of the driver, and what it wrote. */
    record ModuleLoad(String module, String ptxVersion, int driverVersion, String log) {}

    /** 12040 is written 12.4. */
    static String version(int driver) {
        return driver / 1000 + "." + driver % 1000 / 10;
    }

    private static String name(int code) {
        return CUresult.stringFor(code);
    }
}
