package org.bitwitness.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.bitwitness.kernels.program.BatchShape;
import org.bitwitness.kernels.program.DropoutRate;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.ModelConfig;
import org.bitwitness.kernels.program.ModelTensors;
import org.bitwitness.kernels.program.NumericProfile;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.kernels.program.StepProgram;
import org.bitwitness.kernels.trace.TraceHasher;
import org.bitwitness.protocol.record.ModelSpec.Family;
import org.bitwitness.protocol.record.OptimizerSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The MLP family beyond its golden runs, which a program that shares nothing with ours but the text has computed. */
class MlpTest {
    private static final long SEED = 91;
    private static final int VOCAB = 131;
    private static final OptimizerSpec ADAMW = new OptimizerSpec.AdamW(0.9, 0.95, 1e-8, 0.1, 1.0);

    /** A row of 33 tokens of 17 numbers is 561 wide: sums longer than a chunk and than the lanes. */
    private static ModelConfig wide(double rate) {
        DropoutRate drop = DropoutRate.of(rate);
        return new ModelConfig(
                Family.MLP,
                VOCAB,
                33,
                17,
                3,
                1,
                1,
                17,
                143,
                1e-5,
                0,
                false,
                new ModelConfig.Dropouts(drop, DropoutRate.NONE, drop));
    }

    @ParameterizedTest
    @EnumSource(NumericProfile.class)
    void everyBackendThreadAndWayToHoldLessGivesTheSameBitsAndTrace(NumericProfile profile) {
        List<String> plain = roots(profile, Backends.create(BackendId.REFERENCE, 1), Economy.NONE);
        for (Economy economy : List.of(Economy.NONE, new Economy(true, false, false), new Economy(true, true, false))) {
            assertEquals(plain, roots(profile, Backends.create(BackendId.REFERENCE, 1), economy), economy::toString);
            for (int threads : new int[] {1, 3}) {
                assertEquals(
                        plain, roots(profile, Backends.create(BackendId.VECTOR, threads), economy), economy::toString);
            }
        }
    }

    private static List<String> roots(NumericProfile profile, Backend backend, Economy economy) {
        ModelConfig model = wide(0.2);
        List<String> roots = new ArrayList<>();
        try (StepEngine engine =
                StepEngine.create(ModelTensors.of(model, ParameterManifest.of(model), profile), backend)) {
            engine.economize(economy);
            HostState state = engine.initialState(new HostState.InitialWeights(SEED, 0.5, 0.1), ADAMW);
            TraceHasher trace = new TraceHasher();
            GradientResult result = engine.gradient(
                    new GradientRequest(
                            state, SEED, 3, 1, List.of(batch(5), batch(2), batch(7)), GradientRequest.invCount(14)),
                    trace);
            assertEquals(14, result.targetCount(), "one target for each row");
            roots.add(TensorRoots.gradient(result.gradients(), Runnable::run)
                    .digest()
                    .hex());
            roots.add(trace.finish().traceRoot().digest().hex());
            roots.add(Double.toHexString(result.lossSum()));
        }
        return roots;
    }

    /** Central differences of the loss along every parameter's own gradient. */
    @Test
    void theGradientIsTheSlopeOfTheLoss() {
        ModelConfig model = wide(0);
        try (StepEngine engine = StepEngine.create(model, BackendId.REFERENCE, 1)) {
            HostState state = engine.initialState(new HostState.InitialWeights(SEED, 0.5, 0.1), ADAMW);
            GradientResult at = gradient(engine, state);
            for (int p = 0; p < engine.manifest().count(); p++) {
                float[] g = at.gradients().tensor(p).clone();
                double square = 0;
                for (float x : g) {
                    square += (double) x * x;
                }
                assertTrue(square > 0, engine.manifest().get(p).name());
                float step = (float) (1e-2 / Math.sqrt(square));
                double slope = (moved(engine, state, p, g, step) - moved(engine, state, p, g, -step)) / (2.0 * step);
                assertEquals(1, slope / square, 1e-2, engine.manifest().get(p).name());
            }
        }
    }

    private static double moved(StepEngine engine, HostState state, int p, float[] direction, float step) {
        HostState copy = state.copy();
        for (int i = 0; i < direction.length; i++) {
            copy.parameter(p)[i] += step * direction[i];
        }
        return gradient(engine, copy).lossSum();
    }

    private static GradientResult gradient(StepEngine engine, HostState state) {
        return engine.gradient(new GradientRequest(state, SEED, 1, 0, List.of(batch(6)), 1f), event -> {});
    }

    @Test
    void aTargetBeforeTheLastTokenAndARowOfAnotherLengthAreRefused() {
        MicroBatch honest = batch(2);
        int[] targets = honest.targets().clone();
        targets[4] = 7;
        MicroBatch covert = new MicroBatch(2, 33, honest.ids(), targets);
        MicroBatch shorter = new MicroBatch(1, 32, new int[32], new int[32]);
        for (BackendId id : Backends.available()) {
            try (StepEngine engine = StepEngine.create(wide(0), id, 2)) {
                HostState state = engine.initialState(new HostState.InitialWeights(SEED, 0.5, 0.1), ADAMW);
                assertRefused(engine, state, covert, "token 4 of sequence 0 has target 7");
                assertRefused(engine, state, shorter, "rows of exactly 33 tokens");
            }
        }
    }

    private static void assertRefused(StepEngine engine, HostState state, MicroBatch batch, String words) {
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class,
                () -> engine.gradient(new GradientRequest(state, SEED, 1, 0, List.of(batch), 1f), event -> {}));
        assertTrue(String.valueOf(e.getMessage()).contains(words), e::toString);
    }

    /** Twin of the golden runs: one constant of GELU a unit off is seen in this family too. */
    @Test
    void aConstantThatIsOneUnitOffIsSeenInTheGoldenRun() {
        assertEquals(List.of(), GoldenRun.differences("mlp", Backends.create(BackendId.VECTOR, 2), 1));
        List<String> differences =
                GoldenRun.differences("mlp", Mutants.named("gelu: constant 0.044715 one ulp off"), 1);
        assertTrue(differences.toString().contains("mlp step 1 state"), differences::toString);
    }

    @Test
    void theProgramHasTheOperatorsOfTheText() {
        ModelConfig model = wide(0.1);
        ModelTensors tensors = ModelTensors.of(model, ParameterManifest.of(model), NumericProfile.F32_C512);
        List<String> kinds = StepProgram.of(tensors, new BatchShape(4, 33)).operators().stream()
                .map(op -> op.kind())
                .toList();
        assertEquals(
                List.of("embedding", "linear", "gelu", "dropout", "linear", "gelu", "dropout"), kinds.subList(0, 7));
        assertEquals("embedding_gradient", kinds.getLast());
        assertEquals(
                List.of("embed.weight", "head.bias", "head.weight", "hidden.0.bias", "hidden.0.weight"),
                ParameterManifest.of(model).parameters().stream()
                        .map(p -> p.name())
                        .limit(5)
                        .toList());
    }

    private static MicroBatch batch(int sequences) {
        SplittableRandom random = new SplittableRandom(SEED + sequences);
        int[] ids = random.ints(sequences * 33L, 0, VOCAB).toArray();
        int[] targets = new int[ids.length];
        Arrays.fill(targets, MicroBatch.NO_TARGET);
        for (int s = 0; s < sequences; s++) {
            targets[(s + 1) * 33 - 1] = random.nextInt(VOCAB);
        }
        return new MicroBatch(sequences, 33, ids, targets);
    }
}
