package org.bitwitness.kernels.gpu.backend;

import java.util.Optional;
import java.util.OptionalLong;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.BackendProvider;
import org.bitwitness.kernels.ptx.emulator.EmulatedDevice;
import org.bitwitness.kernels.ptx.emulator.EmulatorOptions;

/** The shipped PTX, interpreted: slow, needs no GPU, and is what an auditor may use on a disputed operator. */
public final class PtxEmulatorBackendProvider implements BackendProvider {
    @Override
    public BackendId id() {
        return BackendId.PTX_EMULATOR;
    }

    @Override
    public Optional<String> whyAbsent() {
        return Optional.empty();
    }

    @Override
    public Backend create(int threads) {
        GpuSettings settings = GpuSettings.of(BackendId.PTX_EMULATOR);
        EmulatorOptions options = settings.checks() ? EmulatorOptions.withChecks() : EmulatorOptions.fast(threads);
        OptionalLong limit = settings.memoryLimitBytes();
        return new GpuBackend(
                BackendId.PTX_EMULATOR,
                new EmulatedDevice(limit.isPresent() ? options.withMemoryLimit(limit.getAsLong()) : options));
    }
}
