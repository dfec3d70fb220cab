package org.bitwitness.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.kernels.program.StepConfig;
import org.bitwitness.protocol.record.OptimizerSpec;
import org.junit.jupiter.api.Test;

/** SGD with momentum through the façade; its bits are in the golden runs and in the cases of both backends. */
class SgdTest {
    private static final OptimizerSpec.Sgd SGD = new OptimizerSpec.Sgd(0.5, 0.25, false, 0.5, 1.0);

    private final StepConfig config = GoldenFiles.config("sgd-gpt2", 1);
    private final ParameterManifest manifest = config.manifest();
    /** Parameter 0 is a bias, which does not decay; parameter 1 is a matrix. */
    private final HostState state = HostState.zero(manifest, SGD, 0);

    @Test
    void theFirstUpdateIsNotDampenedLaterOnesAreAndOnlyMatricesDecay() {
        assertFalse(manifest.get(0).decays());
        assertTrue(manifest.get(1).decays());
        state.parameter(0)[0] = 2f;
        state.parameter(1)[0] = 2f;
        update(1f, SGD);
        assertEquals(List.of(1f, 2f), List.of(state.m(0)[0], state.m(1)[0]));
        assertEquals(List.of(1.5f, 1f), List.of(state.parameter(0)[0], state.parameter(1)[0]));
        update(1f, SGD);
        // m = 0.5·m + 0.75·g, where g is 1, and 1 + 0.5·W of the matrix.
        assertEquals(List.of(1.25f, 2.125f), List.of(state.m(0)[0], state.m(1)[0]));
    }

    @Test
    void nesterovLooksOneStepAhead() {
        update(1f, new OptimizerSpec.Sgd(0.5, 0, true, 0, 1.0));
        assertEquals(1f, state.m(0)[0]);
        assertEquals(-0.75f, state.parameter(0)[0]);
    }

    @Test
    void anUpdateThatWouldOverflowLeavesTheStateUntouched() {
        String before = GoldenFiles.stateHash(state).hex();
        assertEquals(UpdateResult.INVALID, update(Float.POSITIVE_INFINITY, SGD));
        state.parameter(0)[0] = -Float.MAX_VALUE;
        assertEquals(UpdateResult.INVALID, update(Float.MAX_VALUE, SGD));
        state.parameter(0)[0] = 0;
        assertEquals(before, GoldenFiles.stateHash(state).hex());
        assertEquals(0, state.updateCount());
    }

    @Test
    void refusesTheStateOfAnotherOptimizer() {
        Exception e = assertThrows(
                IllegalArgumentException.class, () -> update(1f, new OptimizerSpec.AdamW(0.9, 0.95, 1e-8, 0.1, 1.0)));
        assertTrue(
                String.valueOf(e.getMessage()).contains("adamw needs a state with the moments [m., v.]"), e::toString);
    }

    /** Every gradient element is 0 but the first of the first two tensors. */
    private UpdateResult update(float gradient, OptimizerSpec optimizer) {
        Gradients gradients = Gradients.zero(manifest);
        gradients.tensor(0)[0] = gradient;
        gradients.tensor(1)[0] = gradient;
        try (Backend backend = Backends.create(BackendId.VECTOR, 2)) {
            return new Updater(manifest, backend).update(state, gradients, new UpdateRequest(0.5, 1f, optimizer));
        }
    }
}
