package org.bitwitness.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.ModelTensors;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.kernels.program.StepConfig;
import org.bitwitness.kernels.trace.TraceSink;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A gradient that leaves while the rest is computed is the one that the worker emits at the end. */
class GradientListenerTest {
    @ParameterizedTest
    @CsvSource({
        "gpt2, REFERENCE, 1, false",
        "gpt2, VECTOR, 3, false",
        "gpt2, REFERENCE, 2, true",
        "llama, VECTOR, 1, false",
        "llama, REFERENCE, 2, false",
        "bf16-gpt2, VECTOR, 2, true"
    })
    void everyParameterComesOnceWithTheBitsOfTheEndAndSomeBeforeTheLastOperator(
            String run, BackendId backend, int microBatches, boolean inPlace) {
        AtomicInteger operators = new AtomicInteger();
        List<Integer> whens = new ArrayList<>();
        Map<Integer, int[]> heard = new TreeMap<>();
        Gradients plain = gradient(
                run, backend, microBatches, inPlace, (engine, request) -> engine.gradient(request, TraceSink.NONE));
        Gradients told = gradient(
                run,
                backend,
                microBatches,
                inPlace,
                (engine, request) -> engine.gradient(
                        request, _ -> operators.incrementAndGet(), BeforeEmit.NOTHING, (parameter, data) -> {
                            whens.add(operators.get());
                            assertTrue(
                                    heard.put(parameter, bits(data)) == null, "parameter " + parameter + " came twice");
                        }));
        assertEquals(plain.manifest().count(), heard.size());
        heard.forEach((parameter, bits) -> {
            assertArrayEquals(bits(plain.tensor(parameter)), bits, "parameter " + parameter);
            assertArrayEquals(bits(told.tensor(parameter)), bits);
        });
        assertTrue(whens.getFirst() < operators.get() - plain.manifest().count() / 2, whens + " of " + operators);
    }

    @ParameterizedTest
    @CsvSource({"gpt2, 1", "gpt2, 2"})
    void whoChangesGradientsAtTheEndIsSeenByTheListener(String run, int microBatches) {
        Map<Integer, int[]> heard = new TreeMap<>();
        Gradients changed = gradient(
                run,
                BackendId.REFERENCE,
                microBatches,
                false,
                (engine, request) -> engine.gradient(
                        request,
                        TraceSink.NONE,
                        gradients -> gradients.tensor(1)[0] = 42f,
                        (parameter, data) -> heard.put(parameter, bits(data))));
        assertEquals(42f, changed.tensor(1)[0]);
        heard.forEach((parameter, bits) -> assertArrayEquals(bits(changed.tensor(parameter)), bits));
        assertEquals(changed.manifest().count(), heard.size());
    }

    private interface Computation {
        GradientResult of(StepEngine engine, GradientRequest request);
    }

    private static Gradients gradient(
            String run, BackendId backend, int microBatches, boolean inPlace, Computation computation) {
        StepConfig golden = GoldenFiles.config(run, 1);
        ParameterManifest manifest = ParameterManifest.of(golden.model());
        List<MicroBatch> batches = new ArrayList<>();
        for (int b = 0; b < microBatches; b++) {
            batches.add(golden.workers().get(b % golden.workers().size()).getFirst());
        }
        try (StepEngine engine = StepEngine.create(
                ModelTensors.of(golden.model(), manifest, golden.profile()), Backends.create(backend, 1))) {
            engine.economize(new Economy(false, inPlace, false));
            HostState state = engine.initialState(golden.initial(), golden.optimizer());
            GradientRequest request =
                    new GradientRequest(state, golden.seed(), 1, 0, batches, GradientRequest.invCount(100));
            return computation.of(engine, request).gradients();
        }
    }

    private static int[] bits(float[] data) {
        int[] bits = new int[data.length];
        for (int i = 0; i < data.length; i++) {
            bits[i] = Float.floatToRawIntBits(data[i]);
        }
        return bits;
    }
}
