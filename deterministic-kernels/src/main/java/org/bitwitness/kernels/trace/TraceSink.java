package org.bitwitness.kernels.trace;

/** Sees every operator of a worker's step, in order. */
@FunctionalInterface
public interface TraceSink {
    /** Sees nothing; an engine with this sink prepares no events. */
    TraceSink NONE = event -> {};

    /** Called after the operator finished and before the next one starts. */
    void operator(OperatorEvent event);
}
