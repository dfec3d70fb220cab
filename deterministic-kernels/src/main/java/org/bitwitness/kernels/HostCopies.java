package org.bitwitness.kernels;

import java.util.List;
import org.bitwitness.kernels.program.Gradients;

/** Brings results to the host arrays that callers see; host backends share them already and nothing is copied. */
final class HostCopies {
    private HostCopies() {}

    static void fetch(Backend backend, List<Tensor> from, Gradients into) {
        for (int i = 0; i < from.size(); i++) {
            fetch(backend, from.get(i), into.tensor(i));
        }
    }

    @SuppressWarnings("ReferenceEquality") // asks whether the backend shares the array
    static void fetch(Backend backend, Tensor from, float[] into) {
        float[] data = backend.fetch(from);
        if (data != into) {
            System.arraycopy(data, 0, into, 0, into.length);
        }
    }
}
