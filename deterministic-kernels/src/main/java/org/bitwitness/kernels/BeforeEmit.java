package org.bitwitness.kernels;

import org.bitwitness.kernels.program.Gradients;

/** Sees a worker's accumulated gradients before they are emitted. Drills use it to plant a fault. */
@FunctionalInterface
public interface BeforeEmit {
    /** Changes nothing: what honest training uses. */
    BeforeEmit NOTHING = gradients -> {};

    void apply(Gradients gradients);
}
