package org.bitwitness.kernels.gpu.backend;

import java.util.Optional;
import java.util.OptionalLong;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.BackendAbsentException;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.BackendProvider;
import org.bitwitness.kernels.cuda.CudaDriver;
import org.bitwitness.kernels.cuda.CudaOptions;
import org.bitwitness.kernels.cuda.JCudaDevice;
import org.bitwitness.kernels.gpu.GpuException;

/**
 * The shipped PTX on a card. The driver's libraries are loaded when somebody asks, never before.
 *
 * <p>{@value #DEVICE} and {@value #MEMORY} are system properties, because the choice has to reach child processes: the number
 * of a device, and the bytes of its memory that may be used.
 */
public final class CudaBackendProvider implements BackendProvider {
    /** Number of the card, from 0. */
    public static final String DEVICE = "bitwitness.gpu.device";

    /** Most bytes of device memory. */
    public static final String MEMORY = "bitwitness.gpu.memory";

    @Override
    public BackendId id() {
        return BackendId.CUDA;
    }

    @Override
    public Optional<String> whyAbsent() {
        return CudaDriver.whyAbsent();
    }

    @Override
    public Backend create(int threads) {
        try {
            return new GpuBackend(BackendId.CUDA, JCudaDevice.open(options()));
        } catch (GpuException e) {
            throw new BackendAbsentException(BackendId.CUDA, e.failure().message());
        }
    }

    private static CudaOptions options() {
        long device = number(DEVICE).orElse(0);
        if (device < 0 || device > Integer.MAX_VALUE) {
            throw new BackendAbsentException(BackendId.CUDA, DEVICE + " counts cards from 0, got " + device);
        }
        return new CudaOptions((int) device, number(MEMORY));
    }

    private static OptionalLong number(String property) {
        String text = System.getProperty(property, "");
        if (text.isEmpty()) {
            return OptionalLong.empty();
        }
        try {
            return OptionalLong.of(Long.parseLong(text));
        } catch (NumberFormatException e) {
            throw new BackendAbsentException(BackendId.CUDA, property + " should be a number, is \"" + text + "\"");
        }
    }
}
