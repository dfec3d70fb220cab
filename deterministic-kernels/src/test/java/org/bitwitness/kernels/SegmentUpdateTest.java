package org.bitwitness.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.ModelConfig;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.protocol.record.ModelSpec.Family;
import org.bitwitness.protocol.record.OptimizerSpec;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Segments updated one by one are what the whole state is after an update. */
class SegmentUpdateTest {
    private static final ModelConfig MODEL =
            new ModelConfig(Family.GPT2, 11, 4, 8, 1, 1, 1, 8, 17_001, 1e-5, 0.0, true, ModelConfig.Dropouts.NONE);
    private static final List<OptimizerSpec> OPTIMIZERS =
            List.of(new OptimizerSpec.AdamW(0.9, 0.95, 1e-8, 0.1, 1.0), new OptimizerSpec.Sgd(0.9, 0, true, 0.1, 1.0));

    @ParameterizedTest
    @EnumSource(
            value = BackendId.class,
            names = {"REFERENCE", "VECTOR"})
    void segmentsGiveTheBitsOfTheWholeAndAnInvalidOneStaysAsItWas(BackendId backend) {
        long seed = new Random().nextLong();
        for (OptimizerSpec optimizer : OPTIMIZERS) {
            try (StepEngine engine = StepEngine.create(MODEL, backend, 1)) {
                HostState whole = engine.initialState(new HostState.InitialWeights(seed, 0.02, 0.01), optimizer);
                HostState parts = whole.copy();
                UpdateRequest request = new UpdateRequest(1e-3, 0.75f, optimizer);
                for (int t = 1; t <= 2; t++) {
                    Gradients gradient = random(engine, seed + t);
                    assertEquals(UpdateResult.UPDATED, engine.update(whole, gradient, request));
                    update(engine, parts, gradient, request, t);
                }
                for (int i = 0; i < whole.slots().size(); i++) {
                    assertArrayEquals(
                            whole.slots().get(i).data().get(),
                            parts.slots().get(i).data().get(),
                            "seed %d, %s".formatted(seed, whole.slots().get(i).name()));
                }
                float[] parameter = {1f, 2f};
                List<float[]> moments = optimizer.momentPrefixes().stream()
                        .map(_ -> new float[] {0.5f, 0.25f})
                        .toList();
                StateSegment segment = new StateSegment(parameter, moments, true);
                float[] huge = {1f, Float.POSITIVE_INFINITY};
                assertFalse(engine.updateSegment(segment, huge, request, 1));
                assertArrayEquals(new float[] {1f, 2f}, parameter);
                moments.forEach(moment -> assertArrayEquals(new float[] {0.5f, 0.25f}, moment));
                StateSegment bare = new StateSegment(parameter, List.of(), true);
                assertThrows(IllegalArgumentException.class, () -> engine.updateSegment(bare, huge, request, 1));
            }
        }
    }

    private static void update(StepEngine engine, HostState state, Gradients gradient, UpdateRequest request, long t) {
        for (Parameter p : engine.manifest().parameters()) {
            for (int at = 0; at < p.size(); at += SegmentSum.ELEMENTS) {
                int from = at;
                int to = Math.min(p.size(), at + SegmentSum.ELEMENTS);
                StateSegment segment = new StateSegment(
                        Arrays.copyOfRange(state.parameter(p.index()), from, to),
                        state.momentPrefixes().stream()
                                .map(prefix -> Arrays.copyOfRange(state.moment(prefix, p.index()), from, to))
                                .toList(),
                        p.decays());
                float[] sum = Arrays.copyOfRange(gradient.tensor(p.index()), from, to);
                assertTrue(engine.updateSegment(segment, sum, request, t));
                System.arraycopy(segment.parameter(), 0, state.parameter(p.index()), from, to - from);
                int kind = 0;
                for (String prefix : state.momentPrefixes()) {
                    System.arraycopy(
                            segment.moments().get(kind++), 0, state.moment(prefix, p.index()), from, to - from);
                }
            }
        }
    }

    private static Gradients random(StepEngine engine, long seed) {
        Random random = new Random(seed);
        Gradients gradients = Gradients.zero(engine.manifest());
        for (Parameter p : engine.manifest().parameters()) {
            float[] data = gradients.tensor(p.index());
            for (int i = 0; i < data.length; i++) {
                data[i] = (float) (random.nextGaussian() * Math.scalb(1.0, random.nextInt(20) - 30));
            }
        }
        return gradients;
    }
}
