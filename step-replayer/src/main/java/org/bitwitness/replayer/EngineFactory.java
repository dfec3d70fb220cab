package org.bitwitness.replayer;

import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.Backends;
import org.bitwitness.kernels.StepEngine;
import org.bitwitness.kernels.program.ModelTensors;

/** Where engines come from. Never answers with another backend than the one asked for. */
@FunctionalInterface
public interface EngineFactory {
    /** The engines of this version. */
    EngineFactory STANDARD =
            (tensors, backend, threads) -> StepEngine.create(tensors, Backends.create(backend, threads));

    /**
     * A new engine.
     *
     * @param tensors tensors of the model that no other engine uses
     * @param threads at least 1; no bit depends on it
     * @throws org.bitwitness.kernels.BackendAbsentException if this machine or this version lacks the backend
     */
    StepEngine engine(ModelTensors tensors, BackendId backend, int threads);
}
