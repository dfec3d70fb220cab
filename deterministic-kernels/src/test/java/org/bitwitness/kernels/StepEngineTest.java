package org.bitwitness.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.bitwitness.kernels.program.CombineRule;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.ModelTensors;
import org.bitwitness.kernels.program.StepConfig;
import org.bitwitness.kernels.trace.TraceSink;
import org.bitwitness.protocol.record.Averaging;
import org.bitwitness.protocol.record.OptimizerSpec;
import org.bitwitness.protocol.record.ReductionTree;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The façade: validity, averaging, combining, refusals. */
class StepEngineTest {
    private static final OptimizerSpec OPTIMIZER = new OptimizerSpec.AdamW(0.9, 0.95, 1e-8, 0.1, 1.0);

    private final StepConfig config = GoldenFiles.config("gpt2", 1);
    private final StepEngine engine = StepEngine.create(
            ModelTensors.of(config.model(), config.manifest(), config.profile()), Backends.create(BackendId.VECTOR, 2));

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void anUpdateThatWouldOverflowLeavesTheStateUntouched() {
        HostState state = state();
        String before = GoldenFiles.stateHash(state).hex();
        Gradients gradients = gradients();
        gradients.tensor(0)[0] = Float.MAX_VALUE;
        assertEquals(UpdateResult.INVALID, engine.update(state, gradients, new UpdateRequest(1e-3, 2f, OPTIMIZER)));
        assertEquals(before, GoldenFiles.stateHash(state).hex());
        assertEquals(0, state.updateCount());

        gradients.tensor(0)[0] = 1f;
        assertEquals(UpdateResult.UPDATED, engine.update(state, gradients, new UpdateRequest(1e-3, 1f, OPTIMIZER)));
        assertEquals(1, state.updateCount());
        assertNotEquals(before, GoldenFiles.stateHash(state).hex());
    }

    @Test
    void anUpdateOfAStateThatIsNotFiniteIsInvalid() {
        HostState state = state();
        state.v(1)[0] = Float.POSITIVE_INFINITY;
        assertEquals(UpdateResult.INVALID, engine.update(state, gradients(), new UpdateRequest(1e-3, 1f, OPTIMIZER)));
        assertFalse(engine.allFinite(state));
        assertTrue(engine.allFinite(state()));
    }

    @Test
    void everyElementIsUpdatedAlsoWithAZeroGradient() {
        HostState state = state();
        state.m(0)[0] = 1f;
        float before = state.parameter(0)[0];
        engine.update(state, gradients(), new UpdateRequest(1e-3, 1f, OPTIMIZER));
        assertNotEquals(before, state.parameter(0)[0]);
    }

    @Test
    void aStepWithoutTargetsIsInvalid() {
        ReduceResult tokens = reduce(List.of(new WorkerLoss(0, 0), new WorkerLoss(0, 0)), Averaging.TOKENS);
        assertFalse(tokens.valid());
        assertTrue(reduce(List.of(new WorkerLoss(3, 2), new WorkerLoss(0, 0)), Averaging.TOKENS)
                .valid());
        assertFalse(reduce(List.of(new WorkerLoss(3, 2), new WorkerLoss(0, 0)), Averaging.WORKERS)
                .valid());
    }

    @Test
    void aNonFiniteGradientMakesTheStepInvalidUnderBothRules() {
        for (CombineRule rule : List.of(new CombineRule.Exact(), ascending(2))) {
            Gradients bad = gradients();
            bad.tensor(2)[1] = Float.NEGATIVE_INFINITY;
            CombineResult combined = engine.combine(List.of(gradients(), bad), rule);
            ReduceResult r =
                    engine.reduce(combined, List.of(new WorkerLoss(1, 1), new WorkerLoss(1, 1)), Averaging.TOKENS, 1.0);
            assertFalse(r.valid(), rule::toString);
        }
    }

    @Test
    void averagingOverWorkersScalesTheCombinedGradientOnce() {
        Gradients a = gradients();
        Gradients b = gradients();
        a.tensor(0)[0] = 3f;
        b.tensor(0)[0] = 4f;
        CombineResult combined = engine.combine(List.of(a, b), ascending(2));
        ReduceResult r =
                engine.reduce(combined, List.of(new WorkerLoss(6, 2), new WorkerLoss(9, 3)), Averaging.WORKERS, 100);
        assertEquals(3.5f, r.combined().tensor(0)[0]);
        assertEquals(3.5, r.norm());
        assertEquals(3f, r.loss());
        assertEquals(3f, a.tensor(0)[0], "the inputs stay as they were");
        assertEquals(1f, r.clip());
    }

    @Test
    void theTreeDecidesTheOrderOfAdditions() {
        List<Gradients> three = List.of(gradients(), gradients(), gradients());
        three.get(0).tensor(0)[0] = 1e8f;
        three.get(1).tensor(0)[0] = -1e8f;
        three.get(2).tensor(0)[0] = 1f;
        assertEquals(1f, first(engine.combine(three, ascending(3))));
        CombineRule other = new CombineRule.Ordered(ReductionTree.parse("[0,[1,2]]", 3));
        assertEquals(0f, first(engine.combine(three, other)));
        assertThrows(IllegalArgumentException.class, () -> engine.combine(three, ascending(2)));
    }

    @Test
    void noClippingIsAFactorOfOne() {
        Gradients a = gradients();
        a.tensor(0)[0] = 1e3f;
        CombineResult combined = engine.combine(List.of(a), ascending(1));
        List<WorkerLoss> losses = List.of(new WorkerLoss(1, 1));
        assertEquals(
                1f,
                engine.reduce(combined, losses, Averaging.TOKENS, Double.POSITIVE_INFINITY)
                        .clip());
        assertEquals(
                (float) (1 / (1e3 + 1e-6)),
                engine.reduce(combined, losses, Averaging.TOKENS, 1).clip());
    }

    @Test
    void refusesTokensOutsideTheVocabularyAndSequencesOverTheContext() {
        int[][] ids = {{60, 61}};
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class,
                () -> engine.gradient(request(MicroBatch.of(ids, new int[1][2])), TraceSink.NONE));
        assertTrue(String.valueOf(e.getMessage()).contains("61"), e::toString);
        MicroBatch tooLong = new MicroBatch(1, 25, new int[25], new int[25]);
        assertThrows(IllegalArgumentException.class, () -> engine.gradient(request(tooLong), TraceSink.NONE));
        assertThrows(
                IllegalArgumentException.class,
                () -> engine.gradient(request(MicroBatch.of(new int[][] {{1}}, new int[][] {{-2}})), TraceSink.NONE));
    }

    @Test
    void rowsWithoutTargetCountNothing() {
        int[] targets = new int[24];
        Arrays.fill(targets, MicroBatch.NO_TARGET);
        GradientResult r = engine.gradient(request(new MicroBatch(1, 24, new int[24], targets)), TraceSink.NONE);
        assertEquals(0, r.targetCount());
        assertEquals(0.0, r.lossSum());
        for (int i = 0; i < engine.manifest().count(); i++) {
            for (float g : r.gradients().tensor(i)) {
                assertEquals(0f, Math.abs(g));
            }
        }
    }

    @Test
    void reusedBuffersOfAnotherBatchShapeDoNotShow() {
        MicroBatch small = new MicroBatch(1, 7, new int[] {1, 2, 3, 4, 5, 6, 7}, new int[] {2, 3, 4, 5, 6, 7, 8});
        GradientResult fresh = engine.gradient(request(small), TraceSink.NONE);
        engine.gradient(request(config.workers().get(0).get(0)), TraceSink.NONE);
        GradientResult again = engine.gradient(request(small), TraceSink.NONE);
        for (int i = 0; i < engine.manifest().count(); i++) {
            assertTrue(Bits.firstDifference(
                            fresh.gradients().tensor(i), again.gradients().tensor(i))
                    .isEmpty());
        }
    }

    private ReduceResult reduce(List<WorkerLoss> losses, Averaging averaging) {
        return engine.reduce(engine.combine(List.of(gradients(), gradients()), ascending(2)), losses, averaging, 1.0);
    }

    private static float first(CombineResult combined) {
        return combined.combined().tensor(0)[0];
    }

    private static CombineRule ascending(int workers) {
        return new CombineRule.Ordered(ReductionTree.ascending(workers));
    }

    private HostState state() {
        return engine.initialState(config.initial(), config.optimizer());
    }

    private Gradients gradients() {
        return Gradients.zero(engine.manifest());
    }

    private GradientRequest request(MicroBatch batch) {
        return new GradientRequest(state(), 1, 1, 0, List.of(batch), 1f);
    }
}
