package org.bitwitness.replayer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.Backends;
import org.bitwitness.kernels.SgdSlot;
import org.bitwitness.kernels.StepEngine;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.kernels.op.Linear;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.ModelConfig;
import org.bitwitness.protocol.Confirmation;
import org.bitwitness.protocol.ProfileId;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.record.OptimizerSpec;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Machines and stores that are at fault themselves: nobody may be accused on their word. */
class BrokenMachineTest {
    @TempDir
    private static Path temp;

    private static Path run;

    @BeforeAll
    static void train() throws Exception {
        run = temp.resolve("run");
        TestTrainer.train(run, TestTrainer.Shape.SMALL, Lie.NONE);
    }

    /** The last mantissa bit of one element of every matrix product is flipped. */
    private static EngineFactory broken(BackendId which, Predicate<ModelConfig> when) {
        return (tensors, id, threads) -> {
            Backend sound = Backends.create(id, threads);
            return StepEngine.create(
                    tensors, id == which && when.test(tensors.model()) ? breaking(sound, () -> true) : sound);
        };
    }

    /** Where {@code when} says so, asked at every product. */
    static Backend breaking(Backend sound, BooleanSupplier when) {
        return (Backend) Proxy.newProxyInstance(
                Backend.class.getClassLoader(), new Class<?>[] {Backend.class}, (proxy, method, arguments) -> {
                    try {
                        Object result = method.invoke(sound, arguments);
                        if (method.getName().equals("linear") && when.getAsBoolean()) {
                            float[] y = ((Linear) arguments[0]).y().data();
                            y[0] = Float.intBitsToFloat(Float.floatToRawIntBits(y[0]) ^ 1);
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** What the operator writes last to its first tensor is one bit off. */
    private static EngineFactory broken(String operator) {
        return (tensors, id, threads) -> {
            Backend sound = Backends.create(id, threads);
            return StepEngine.create(tensors, (Backend) Proxy.newProxyInstance(
                    Backend.class.getClassLoader(), new Class<?>[] {Backend.class}, (proxy, method, arguments) -> {
                        Object result = method.invoke(sound, arguments);
                        if (method.getName().equals(operator) && !((List<?>) arguments[0]).isEmpty()) {
                            Object first = ((List<?>) arguments[0]).getFirst();
                            Tensor tensor = first instanceof SgdSlot slot ? slot.parameter() : (Tensor) first;
                            float[] data = tensor.data();
                            data[0] = Float.intBitsToFloat(Float.floatToRawIntBits(data[0]) ^ 0x10000);
                        }
                        return result;
                    }));
        };
    }

    /** Row 29: the golden runs are those of the run's own profile and optimizer. */
    @ParameterizedTest
    @ValueSource(strings = {"roundToBf16", "sgd"})
    void aBackendThatFailsOnlyWhatTheRunNeedsDecidesNothingAboutIt(String operator) throws Exception {
        Path needing = temp.resolve(operator);
        TestTrainer.train(
                needing,
                operator.equals("sgd")
                        ? TestTrainer.Shape.SMALL.with(new OptimizerSpec.Sgd(0.9, 0, false, 0.1, 1))
                        : TestTrainer.Shape.SMALL.with(ProfileId.BF16_C512),
                Lie.NONE);
        assertEquals(
                Verdict.REPRODUCED,
                Replays.replay(needing, "STEP(1)", BackendId.VECTOR, 1).verdict());
        ReplayReport report = Replays.replay(needing, "STEP(1)", BackendId.VECTOR, 1, broken(operator));
        assertEquals(Verdict.INCONCLUSIVE, report.verdict());
        assertTrue(
                report.reason().orElseThrow().contains("fails its self-test"),
                report.reason().orElseThrow());
        assertEquals(
                Verdict.REPRODUCED,
                Replays.replay(run, "STEP(1)", BackendId.VECTOR, 1, broken(operator))
                        .verdict(),
                "a run that needs it not");
    }

    private static boolean isTheRuns(ModelConfig model) {
        return model.context() == 16;
    }

    /** Row 29. */
    @Test
    void aBackendThatFailsItsSelfTestDecidesNothing() throws Exception {
        ReplayReport report =
                Replays.replay(run, "STEP(1)", BackendId.VECTOR, 1, broken(BackendId.VECTOR, model -> true));
        assertEquals(Verdict.INCONCLUSIVE, report.verdict());
        assertTrue(
                report.reason().orElseThrow().contains("fails its self-test"),
                report.reason().orElseThrow());
        ReplayReport sound = Replays.replay(run, "STEP(1)", BackendId.VECTOR, 1);
        assertEquals(Verdict.REPRODUCED, sound.verdict());
        assertNotEquals(sound.selfTestDigest(), report.selfTestDigest());
    }

    /** Row 29: a fault that the self-test does not hit. */
    @Test
    void aDifferenceThatTheSecondBackendDoesNotRepeatAccusesNobody() throws Exception {
        ReplayReport report = Replays.replay(
                run, "STEP(1)", BackendId.VECTOR, 1, broken(BackendId.VECTOR, BrokenMachineTest::isTheRuns));
        assertEquals(Verdict.INCONCLUSIVE, report.verdict());
        assertEquals(Optional.of(new Confirmation("reference", Confirmation.Result.OTHER)), report.confirmedBy());
        assertTrue(
                report.reason().orElseThrow().contains("backends disagree"),
                report.reason().orElseThrow());
    }

    @Test
    void aSecondBackendThatFailsItsSelfTestConfirmsNothing() throws Exception {
        Path lying = temp.resolve("liar");
        TestTrainer.train(lying, TestTrainer.Shape.SMALL, new Lie() {
            @Override
            public void beforeEmit(long step, int position, Gradients gradients) {
                gradients.tensor(0)[0] += step == 1 ? 1 : 0;
            }
        });
        assertEquals(
                Verdict.DIVERGED,
                Replays.replay(lying, "STEP(1)", BackendId.VECTOR, 1).verdict());
        ReplayReport report =
                Replays.replay(lying, "STEP(1)", BackendId.VECTOR, 1, broken(BackendId.REFERENCE, model -> true));
        assertEquals(Verdict.INCONCLUSIVE, report.verdict());
        assertTrue(report.firstDifference().isPresent(), "what was seen stays in the report as a lead");
    }

    /** Row 19. */
    @Test
    void aBackendThatIsNotThereIsAnErrorAndNeverAnotherOne() {
        ReplayException absent =
                assertThrows(ReplayException.class, () -> Replays.replay(run, "STEP(1)", BackendId.CUDA, 1));
        assertTrue(absent.getMessage().contains("backend cuda is not available: no usable GPU"), absent.getMessage());
        assertFalse(absent.blamesTheBytes());
    }

    @Test
    void aDamagedCheckpointIsToldFromALie() throws Exception {
        Path copy = temp.resolve("damaged");
        copy(run, copy);
        Path weights = copy.resolve("states/000000000002/model.safetensors");
        byte[] bytes = Files.readAllBytes(weights);
        bytes[bytes.length - 1] ^= 1;
        Files.write(weights, bytes);
        ReplayReport report = Replays.replay(copy, "STEP(2)", BackendId.VECTOR, 1);
        assertEquals(Verdict.INCONCLUSIVE, report.verdict());
        assertTrue(
                report.reason().orElseThrow().contains("checkpoint 2"),
                report.reason().orElseThrow());
        assertEquals(
                Verdict.REPRODUCED,
                Replays.replay(copy, "STEP(1)", BackendId.VECTOR, 1).verdict());
    }

    @Test
    void aChangedStepRecordOrDatasetIsDamageToo() throws Exception {
        for (String name : new String[] {"steps/000000000002.arrow", "dataset/shard-00000.tokens"}) {
            Path copy = temp.resolve("damaged-" + name.hashCode());
            copy(run, copy);
            Path file = copy.resolve(name);
            byte[] bytes = Files.readAllBytes(file);
            bytes[bytes.length / 2] ^= 1;
            Files.write(file, bytes);
            assertEquals(
                    Verdict.INCONCLUSIVE,
                    Replays.replay(copy, "STEP(3)", BackendId.VECTOR, 1).verdict(),
                    name);
        }
    }

    @Test
    void aUnitThatTheRunDoesNotHaveIsAnError() {
        for (String unit : new String[] {"STEP(6)", "GRADIENT(1,9)", "SEGMENT(0,7)", "DATA(shard-00009)"}) {
            assertThrows(ReplayException.class, () -> Replays.replay(run, unit, BackendId.VECTOR, 1), unit);
        }
    }

    private static void copy(Path from, Path to) throws Exception {
        try (var paths = Files.walk(from)) {
            for (Path path : (Iterable<Path>) paths::iterator) {
                Files.copy(path, to.resolve(from.relativize(path).toString()));
            }
        }
    }
}
