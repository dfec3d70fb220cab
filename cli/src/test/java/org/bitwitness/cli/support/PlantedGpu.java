package org.bitwitness.cli.support;

import java.util.Optional;
import java.util.function.Supplier;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.BackendProvider;
import org.bitwitness.kernels.gpu.GpuDevice;
import org.bitwitness.kernels.gpu.backend.CudaBackendProvider;
import org.bitwitness.kernels.gpu.backend.GpuBackend;

/** The card of tests, found before the real one: whatever device a test plants, else this machine's. */
public final class PlantedGpu implements BackendProvider {
    private static Optional<Supplier<GpuDevice>> planted = Optional.empty();

    private final CudaBackendProvider real = new CudaBackendProvider();

    /** From here on {@code --backend cuda} is this device, a new one for each backend. */
    public static void plant(Supplier<GpuDevice> device) {
        planted = Optional.of(device);
    }

    public static void remove() {
        planted = Optional.empty();
    }

    @Override
    public BackendId id() {
        return BackendId.CUDA;
    }

    @Override
    public Optional<String> whyAbsent() {
        return planted.isPresent() ? Optional.empty() : real.whyAbsent();
    }

    @Override
    public Backend create(int threads) {
        return planted.isPresent()
                ? new GpuBackend(BackendId.CUDA, planted.get().get())
                : real.create(threads);
    }
}
