package org.bitwitness.kernels.reference;

import java.util.Optional;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.BackendProvider;

/** Always available. */
public final class ReferenceBackendProvider implements BackendProvider {
    @Override
    public BackendId id() {
        return BackendId.REFERENCE;
    }

    @Override
    public Optional<String> whyAbsent() {
        return Optional.empty();
    }

    @Override
    public Backend create(int threads) {
        return new ReferenceBackend();
    }
}
