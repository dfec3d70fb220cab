package org.bitwitness.kernels.gpu.backend;

import java.util.Optional;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.BackendAbsentException;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.BackendProvider;
import org.bitwitness.kernels.cuda.CudaDriver;
import org.bitwitness.kernels.cuda.CudaOptions;
import org.bitwitness.kernels.cuda.JCudaDevice;
import org.bitwitness.kernels.gpu.GpuException;

/**
 * The shipped PTX on a card, chosen and limited by {@link GpuSettings}. The driver's libraries are loaded when somebody asks,
 * never before.
 */
public final class CudaBackendProvider implements BackendProvider {
    @Override
    public BackendId id() {
        return BackendId.CUDA;
    }

    @Override
    public Optional<String> whyAbsent() {
        return CudaDriver.whyAbsent(GpuSettings.of(BackendId.CUDA).device());
    }

    @Override
    public Backend create(int threads) {
        GpuSettings settings = GpuSettings.of(BackendId.CUDA);
        try {
            CudaOptions options = new CudaOptions(settings.device(), settings.memoryLimitBytes());
            return new GpuBackend(BackendId.CUDA, JCudaDevice.open(options));
        } catch (GpuException e) {
            throw new BackendAbsentException(BackendId.CUDA, e.failure().message());
        }
    }
}
