package org.bitwitness.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.ModelTensors;
import org.bitwitness.kernels.program.NumericProfile;
import org.bitwitness.kernels.program.StepConfig;
import org.bitwitness.protocol.ProfileId;
import org.bitwitness.protocol.tensor.Shape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a profile stores between operators. */
class NumericProfileTest {
    @ParameterizedTest
    @ValueSource(strings = {"bf16-gpt2", "bf16-llama", "gpt2", "llama"})
    void everyRowIsStoredInTheProfilesFormatAndNothingElseIs(String family) {
        StepConfig config = GoldenFiles.config(family, 1);
        Set<String> narrow = new TreeSet<>();
        Set<String> wide = new TreeSet<>();
        try (StepEngine engine = engine(config)) {
            HostState state = engine.initialState(config.initial(), config.optimizer());
            GradientRequest request = new GradientRequest(
                    state, config.seed(), 1, 0, config.workers().getFirst(), GradientRequest.invCount(128));
            engine.gradient(request, event -> {
                for (int i = 0; i < event.outputs().size(); i++) {
                    Supplier<float[]> data = event.outputs().get(i);
                    var output = event.entry().outputs().get(i);
                    boolean parameter = config.manifest().parameters().stream()
                            .anyMatch(p -> p.name().equals(output.name()));
                    boolean rows = output.shape().dimensions() == 2 && !parameter;
                    (rows ? narrow : wide).addAll(isBf16(data.get()) ? Set.of() : Set.of(output.name()));
                }
            });
            assertTrue(
                    config.manifest().parameters().stream().anyMatch(p -> !isBf16(state.parameter(p.index()))),
                    "masters are not rounded");
        }
        assertEquals(config.profile().storesBf16(), narrow.isEmpty(), narrow::toString);
        assertTrue(wide.containsAll(Set.of("losses", config.manifest().get(0).name())), wide::toString);
    }

    @ParameterizedTest
    @CsvSource({
        "3f800000, 3f800000", "3f808000, 3f800000", "3f818000, 3f820000", "3f808001, 3f810000", "3f807fff, 3f800000",
        "00008000, 00000000", "00018000, 00020000", "80008001, 80010000", "7f7fffff, 7f800000", "ff7f7fff, ff7f0000",
        "7f800000, 7f800000", "ff800001, 7fc00000", "007fc000, 00800000", "80000000, 80000000"
    })
    void roundsToTheNearestAndTiesToEven(String from, String to) {
        for (BackendId id : List.of(BackendId.REFERENCE, BackendId.VECTOR)) {
            float[] x = {Float.intBitsToFloat(Integer.parseUnsignedInt(from, 16))};
            try (Backend backend = Backends.create(id, 1)) {
                backend.roundToBf16(List.of(Tensor.of("x", Shape.of(1), x)));
            }
            assertEquals(to, "%08x".formatted(Float.floatToRawIntBits(x[0])), id.text());
        }
    }

    @Test
    void anUnknownProfileIsRefusedWithTheKnownOnes() {
        Exception e =
                assertThrows(IllegalArgumentException.class, () -> NumericProfile.of(new ProfileId("F32-C512 v2")));
        assertTrue(String.valueOf(e.getMessage()).contains("\"F32-C512 v1\", \"BF16-C512 v1\""), e::toString);
    }

    private static StepEngine engine(StepConfig config) {
        return StepEngine.create(
                ModelTensors.of(config.model(), config.manifest(), config.profile()),
                Backends.create(BackendId.VECTOR, 2));
    }

    private static boolean isBf16(float[] data) {
        for (float x : data) {
            if ((Float.floatToIntBits(x) & 0xffff) != 0) {
                return false;
            }
        }
        return true;
    }
}
