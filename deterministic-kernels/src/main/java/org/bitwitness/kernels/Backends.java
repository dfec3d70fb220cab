package org.bitwitness.kernels;

import java.util.List;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/** The one place where a backend is chosen. Asked for but absent is an error, never another backend. */
public final class Backends {
    private Backends() {}

    /**
     * Creates the backend asked for; the caller closes it.
     *
     * @param threads worker threads, at least 1; the result's bits do not depend on it
     * @throws BackendAbsentException if this machine or this version cannot run {@code id}
     */
    public static Backend create(BackendId id, int threads) {
        if (threads < 1 || threads > 1024) {
            throw new IllegalArgumentException("need 1 to 1024 threads, got " + threads);
        }
        BackendProvider provider = find(id).orElseThrow(
                        () -> new BackendAbsentException(id, "not in this version; available: " + available()));
        provider.whyAbsent().ifPresent(reason -> {
            throw new BackendAbsentException(id, reason);
        });
        return provider.create(threads);
    }

    /**
     * Backends that run on this machine, in the order of {@link BackendId}. Those that are only looked for on request are not
     * among them: ask {@link #whyAbsent}.
     */
    public static List<BackendId> available() {
        return List.of(BackendId.values()).stream()
                .filter(id -> !id.onlyOnRequest() && whyAbsent(id).isEmpty())
                .toList();
    }

    /** Why a backend cannot run on this machine, with the next step; empty when it can. Looks for it now. */
    public static Optional<String> whyAbsent(BackendId id) {
        return find(id).map(BackendProvider::whyAbsent)
                .orElseGet(() -> Optional.of("not in this version; available: " + available()));
    }

    private static Optional<BackendProvider> find(BackendId id) {
        try {
            for (BackendProvider provider :
                    ServiceLoader.load(BackendProvider.class, Backends.class.getClassLoader())) {
                if (provider.id() == id) {
                    return Optional.of(provider);
                }
            }
        } catch (ServiceConfigurationError e) {
            throw new IllegalStateException(
                    "a backend named in META-INF/services cannot be loaded: " + e.getMessage(), e);
        }
        return Optional.empty();
    }
}
