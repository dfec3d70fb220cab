package org.bitwitness.kernels;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.bitwitness.kernels.op.AttentionShape;
import org.bitwitness.kernels.op.Gelu;
import org.bitwitness.kernels.op.GeluGradient;
import org.bitwitness.kernels.op.Linear;
import org.bitwitness.kernels.op.WeightLayout;
import org.bitwitness.kernels.program.DropoutRate;
import org.bitwitness.kernels.program.ModelConfig;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.kernels.program.RopeTable;
import org.bitwitness.kernels.program.StepConfigJson;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.record.ModelSpec.Family;
import org.bitwitness.protocol.tensor.Shape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Wrong shapes, aliasing, sizes and configurations are refused with a message that names them. */
class ArgumentsTest {
    @Test
    void aLinearLayerOfUnequalWidthsNamesTheTensorAndBothShapes() {
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class,
                () -> new Linear(
                        "h.0.fc",
                        tensor("x", 4, 8),
                        tensor("w", 7, 3),
                        Optional.empty(),
                        WeightLayout.IN_OUT,
                        tensor("y", 4, 3)));
        assertEquals("h.0.fc: w should be [8, 3], is [7,3]", e.getMessage());
    }

    @Test
    void anOutputMayNotAliasAnInputUnlessTheOperatorAllowsIt() {
        Tensor x = tensor("x", 4, 4);
        assertThrows(
                IllegalArgumentException.class,
                () -> new Linear("fc", x, tensor("w", 4, 4), Optional.empty(), WeightLayout.IN_OUT, x));
        Tensor sameArray = Tensor.of("other name", Shape.of(16), x.data());
        assertThrows(IllegalArgumentException.class, () -> new GeluGradient("g", x, tensor("dy", 4, 4), sameArray));
        assertEquals("gelu", new Gelu("g", x, x).kind(), "GELU works in place");
    }

    @Test
    void aTensorOverTheArrayLimitIsRefusedBeforeAnythingIsAllocated() {
        assertThrows(IllegalArgumentException.class, () -> Tensor.declare("huge", Shape.of(1L << 16, 1L << 15)));
        assertThrows(IllegalArgumentException.class, () -> new AttentionShape(64, 16_384, 2, 1, 64));
    }

    @Test
    void aTensorWithoutStorageSaysSo() {
        IllegalStateException e = assertThrows(
                IllegalStateException.class,
                () -> Tensor.declare("x", Shape.of(2)).data());
        assertTrue(String.valueOf(e.getMessage()).contains("bind"), e::toString);
        assertThrows(IllegalArgumentException.class, () -> Tensor.of("x", Shape.of(3), new float[2]));
    }

    @Test
    void theManifestSortsByUtf8BytesAndHasATiedTensorOnce() {
        ModelConfig model = gpt2(12, true);
        List<String> names = ParameterManifest.of(model).parameters().stream()
                .map(Parameter::name)
                .toList();
        assertTrue(names.indexOf("transformer.h.10.ln_1.bias") < names.indexOf("transformer.h.2.ln_1.bias"));
        assertFalse(names.contains("lm_head.weight"));
        assertTrue(ParameterManifest.of(gpt2(1, false)).get("lm_head.weight").decays());
        assertThrows(IllegalArgumentException.class, () -> ParameterManifest.of(model, names.subList(1, names.size())));
        assertEquals(
                "transformer.wte.weight",
                ParameterManifest.of(model, names.reversed()).get(0).name());
    }

    @Test
    void theRotaryTableIsTheOneThatStrictMathGives() {
        ModelConfig model = GoldenFiles.config("llama", 1).model();
        RopeTable table = RopeTable.compute(model);
        assertEquals(1f, table.cos()[0]);
        assertEquals(0f, table.sin()[0]);
        assertEquals((float) StrictMath.cos(23.0), table.cos()[23 * 4]);
        assertEquals("5444d243", table.digest().hex().substring(0, 8));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"heads\":4 | \"heads\":5 | heads",
                "\"family\":\"gpt2\" | \"family\":\"gpt3\" | family",
                "\"reduction\":\"ORDERED\" | \"reduction\":\"RANDOM\" | reduction",
                "\"tree\":\"ascending\" | \"tree\":\"[0,0]\" | tree",
                "\"profile\":\"F32-C512 v1\" | \"profile\":\"F32-C512 v2\" | profile",
                "\"average\":\"tokens\" | \"avrage\":\"tokens\" | average",
                "\"lr\":0.001 | \"lr\":\"0.001\" | lr",
                "\"dropout\":0.1 | \"dropout\":1.0 | dropout",
                "\"step\":1 | \"step\":0 | step"
            })
    void aConfigurationWithAWrongFieldIsRefusedByName(String good, String bad, String named) throws ProtocolException {
        String text = new String(GoldenFiles.bytes("gpt2-step1.json"), UTF_8);
        assertTrue(text.contains(good));
        StepConfigJson.read(text.getBytes(UTF_8), "twin");
        byte[] changed = text.replace(good, bad).getBytes(UTF_8);
        ProtocolException e = assertThrows(ProtocolException.class, () -> StepConfigJson.read(changed, "config"));
        assertTrue(String.valueOf(e.getMessage()).contains(named), e::toString);
    }

    @Test
    void nestedPairsAreReadAsTextOrAsJson() throws ProtocolException {
        String text = new String(GoldenFiles.bytes("gpt2-step1.json"), UTF_8);
        for (String tree : List.of("[1,0]", "\"[1,0]\"")) {
            byte[] changed = text.replace("\"ascending\"", tree).getBytes(UTF_8);
            assertEquals(
                    "ORDERED [1,0]",
                    StepConfigJson.read(changed, "config").reduction().toString());
        }
    }

    @Test
    void backendsThatAreNotThereAreNeverReplaced() {
        assertThrows(BackendAbsentException.class, () -> Backends.create(BackendId.CUDA, 1));
        assertThrows(IllegalArgumentException.class, () -> BackendId.parse("gpu"));
        assertEquals(BackendId.PTX_EMULATOR, BackendId.parse("ptx-emulator"));
    }

    private static ModelConfig gpt2(int layers, boolean tied) {
        return new ModelConfig(
                Family.GPT2,
                11,
                8,
                8,
                layers,
                2,
                2,
                4,
                16,
                1e-5,
                0,
                tied,
                new ModelConfig.Dropouts(DropoutRate.NONE, DropoutRate.NONE, DropoutRate.NONE));
    }

    private static Tensor tensor(String name, int rows, int columns) {
        return Tensor.of(name, Shape.of(rows, columns), new float[rows * columns]);
    }
}
