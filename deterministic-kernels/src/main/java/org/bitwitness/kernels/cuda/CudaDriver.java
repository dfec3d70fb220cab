package org.bitwitness.kernels.cuda;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdevice_attribute;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;
import org.bitwitness.kernels.gpu.GpuException;
import org.bitwitness.kernels.gpu.GpuFailure;

/** Finds the driver and its cards, and says what was looked for where there are none. */
public final class CudaDriver {
    /** Turing: what the kernels are compiled for; the driver translates for anything newer. */
    private static final int LEAST_CAPABILITY = 75;

    /** 11.0, of 2020: calls that JCuda makes for us are not in older drivers, and a missing one would end the process. */
    private static final int LEAST_DRIVER = 11_000;

    private static final int NAME_BYTES = 256;

    private CudaDriver() {}

    /**
     * A card.
     *
     * @param driverVersion as the driver writes it: 12040 for CUDA 12.4
     * @param capability 75 for compute capability 7.5
     */
    record Card(CUdevice device, int ordinal, String name, int driverVersion, int capability) {}

    /** Why a card cannot be used here, with what was looked for; empty when it can. */
    public static Optional<String> whyAbsent(int ordinal) {
        try {
            var _ = card(ordinal);
            return Optional.empty();
        } catch (GpuException e) {
            return Optional.of(e.failure().message());
        }
    }

    static Card card(int ordinal) {
        load(ordinal);
        int[] version = new int[1];
        check(JCudaDriver.cuDriverGetVersion(version), "asking for the driver's version");
        if (version[0] < LEAST_DRIVER) {
            throw absent("the driver is for CUDA %s, %s or newer is needed: update NVIDIA's driver"
                    .formatted(CudaErrors.version(version[0]), CudaErrors.version(LEAST_DRIVER)));
        }
        int[] count = new int[1];
        check(JCudaDriver.cuDeviceGetCount(count), "counting cards");
        if (ordinal >= count[0]) {
            throw absent("the driver for CUDA %s has %d cards, device %d was asked for: see nvidia-smi -L"
                    .formatted(CudaErrors.version(version[0]), count[0], ordinal));
        }
        CUdevice device = new CUdevice();
        check(JCudaDriver.cuDeviceGet(device, ordinal), "opening device " + ordinal);
        byte[] name = new byte[NAME_BYTES];
        check(JCudaDriver.cuDeviceGetName(name, name.length, device), "asking for the card's name");
        int capability = 10 * attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
                + attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
        String text = new String(name, StandardCharsets.UTF_8).replace("\0", "").strip();
        if (capability < LEAST_CAPABILITY) {
            throw absent("device %d, %s, is sm_%d; sm_%d (Turing) or newer is needed"
                    .formatted(ordinal, text, capability, LEAST_CAPABILITY));
        }
        return new Card(device, ordinal, text, version[0], capability);
    }

    private static int attribute(CUdevice device, int attribute) {
        int[] value = new int[1];
        check(JCudaDriver.cuDeviceGetAttribute(value, attribute, device), "asking for the card's target");
        return value[0];
    }

    private static void load(int ordinal) {
        JCudaLibrary.problem().ifPresent(reason -> {
            throw absent(
                    "looked for device %d behind the driver library libcuda.so.1 (Linux on x86-64), which JCuda could not link: %s"
                                    .formatted(ordinal, reason)
                            + ": install NVIDIA's driver, then see nvidia-smi");
        });
        int code = JCudaDriver.cuInit(0);
        if (code != CUresult.CUDA_SUCCESS) {
            throw absent(
                    "looked for device %d: the driver library libcuda.so.1 is here, but cuInit answers %s: see nvidia-smi"
                            .formatted(ordinal, CUresult.stringFor(code)));
        }
    }

    private static GpuException absent(String lookedFor) {
        return new GpuException(new GpuFailure.Absent(lookedFor));
    }

    private static void check(int code, String doing) {
        if (code != CUresult.CUDA_SUCCESS) {
            throw new GpuException(CudaErrors.other(code, doing));
        }
    }
}
