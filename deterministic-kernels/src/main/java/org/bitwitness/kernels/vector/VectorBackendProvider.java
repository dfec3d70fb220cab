package org.bitwitness.kernels.vector;

import java.util.Optional;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.BackendProvider;

/** Available wherever the JVM was started with the Vector API's module. */
public final class VectorBackendProvider implements BackendProvider {
    private static final String MODULE = "jdk.incubator.vector";

    @Override
    public BackendId id() {
        return BackendId.VECTOR;
    }

    @Override
    public Optional<String> whyAbsent() {
        return ModuleLayer.boot().findModule(MODULE).isPresent()
                ? Optional.empty()
                : Optional.of(
                        "the JVM runs without module %s: start it with --add-modules=%s".formatted(MODULE, MODULE));
    }

    @Override
    public Backend create(int threads) {
        return new VectorBackend(threads);
    }
}
