package org.bitwitness.kernels;

import java.util.Optional;

/** How a backend announces itself: named in {@code META-INF/services}, found by {@link Backends}. */
public interface BackendProvider {
    BackendId id();

    /** Why this backend cannot run on this machine, with the next step; empty when it can. */
    Optional<String> whyAbsent();

    /**
     * Makes a backend; the caller closes it.
     *
     * @param threads at least 1; never changes a bit of any result
     */
    Backend create(int threads);
}
