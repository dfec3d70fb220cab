package org.bitwitness.cli.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bitwitness.cli.CommandLineRun;
import org.bitwitness.kernels.gpu.backend.GpuSettings;
import org.bitwitness.protocol.format.Safetensors;
import org.bitwitness.protocol.format.SafetensorsFile;
import org.bitwitness.protocol.format.TensorInfo;
import org.bitwitness.protocol.store.LocalFile;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The conformance interface against the golden files of deterministic-kernels. */
class ProfileCommandTest {
    private static final Path GOLDEN = Path.of("../deterministic-kernels/src/test/resources/golden");

    @TempDir
    private Path folder = Path.of("");

    @ParameterizedTest
    @ValueSource(strings = {"gpt2", "llama"})
    void initAndThreeStepsEndInTheGoldenState(String family) throws IOException {
        List<String> expected = Files.readAllLines(GOLDEN.resolve(family + "-expected.txt"));
        String state = file("0");
        CommandLineRun init = CommandLineRun.of("profile", "init", config(family, 1), state, "--json");
        assertEquals(0, init.exitCode(), init.err());
        assertContainsFields(expected.get(0), init.out(), List.of("state_sha256", "tensors"));
        for (int step = 1; step <= 3; step++) {
            String next = file(Integer.toString(step));
            CommandLineRun run = CommandLineRun.of(
                    "profile", "step", config(family, step), state, next, "--grads", file("grads" + step), "--json");
            assertEquals(0, run.exitCode(), run.err());
            assertContainsFields(
                    expected.get(step),
                    run.out(),
                    List.of("valid", "step", "loss_bits", "norm_bits", "clip_bits", "count", "state_sha256"));
            state = next;
        }
        assertEquals(hash(GOLDEN.resolve(family + "-state3.safetensors").toString()), hash(state));
        assertEquals(hash(GOLDEN.resolve(family + "-grads1.safetensors").toString()), hash(file("grads1")));
    }

    @Test
    void theReferenceBackendWritesTheSameFile() throws IOException {
        String state = GOLDEN.resolve("gpt2-state0.safetensors").toString();
        for (String backend : List.of("reference", "vector")) {
            CommandLineRun run =
                    CommandLineRun.of("profile", "step", config("gpt2", 1), state, file(backend), "--backend", backend);
            assertEquals(0, run.exitCode(), run.err());
        }
        assertEquals(-1, Files.mismatch(Path.of(file("reference")), Path.of(file("vector"))));
    }

    @Test
    void anInvalidStepExitsThreeAndWritesNoState() throws IOException {
        String text = Files.readString(Path.of(config("gpt2", 1))).replace("\"lr\":0.001", "\"lr\":1e40");
        Path config = Files.writeString(folder.resolve("overflow.json"), text);
        CommandLineRun run = CommandLineRun.of(
                "profile",
                "step",
                config.toString(),
                GOLDEN.resolve("gpt2-state0.safetensors").toString(),
                file("out"));
        assertEquals(3, run.exitCode(), run.err());
        assertTrue(run.out().contains("INVALID"), run.out());
        assertFalse(Files.exists(Path.of(file("out"))));
    }

    @Test
    void aWrongKeyIsNamedWithTheNearestKnownOne() throws IOException {
        String text = Files.readString(Path.of(config("gpt2", 1))).replace("\"weight_decay\"", "\"weight_decy\"");
        Path config = Files.writeString(folder.resolve("typo.json"), text);
        CommandLineRun run = CommandLineRun.of("profile", "init", config.toString(), file("out"));
        assertEquals(1, run.exitCode());
        assertTrue(run.err().contains("weight_decay") && run.err().contains("weight_decy"), run.err());
    }

    @Test
    void aStateOfAnotherModelIsRefusedWithTheTensorsName() {
        CommandLineRun run = CommandLineRun.of(
                "profile",
                "step",
                config("gpt2", 1),
                GOLDEN.resolve("llama-state0.safetensors").toString(),
                file("out"));
        assertEquals(1, run.exitCode());
        assertTrue(run.err().contains("transformer.h.0.attn.c_attn.bias"), run.err());
    }

    /** Files of others hold a tied head not at all, twice, or as something else than the embedding. */
    @Test
    void aTiedHeadMayBeAbsentOrTwiceTheSameButIsNeverMergedSilently() throws Exception {
        List<F32Tensor> tensors = new ArrayList<>();
        Path golden = GOLDEN.resolve("gpt2-state0.safetensors");
        try (SafetensorsFile in = SafetensorsFile.open("state", LocalFile.open("state", golden))) {
            for (Map.Entry<String, TensorInfo> tensor : in.tensors().entrySet()) {
                assertNotEquals("lm_head.weight", tensor.getKey());
                tensors.add(F32Tensor.of(tensor.getKey(), tensor.getValue().shape(), in.read(tensor.getKey())));
            }
        }
        F32Tensor tokens = tensors.stream()
                .filter(t -> t.name().equals("transformer.wte.weight"))
                .findFirst()
                .orElseThrow();
        String absent = write(tensors, "absent");
        float[] head = tokens.data().clone();
        tensors.add(F32Tensor.of("lm_head.weight", tokens.shape(), head));
        String twice = write(tensors, "twice");
        head[3] = Math.nextUp(head[3]);
        String other = write(tensors, "other");

        for (String state : List.of(absent, twice)) {
            CommandLineRun run = CommandLineRun.of("profile", "step", config("gpt2", 1), state, state + ".next");
            assertEquals(0, run.exitCode(), run.err());
        }
        assertEquals(hash(absent + ".next"), hash(twice + ".next"));
        CommandLineRun run = CommandLineRun.of("profile", "step", config("gpt2", 1), other, other + ".next");
        assertEquals(1, run.exitCode());
        assertTrue(run.err().contains("lm_head.weight and transformer.wte.weight differ at element 3"), run.err());
        assertFalse(Files.exists(Path.of(other + ".next")));
    }

    private String write(List<F32Tensor> tensors, String name) throws IOException {
        Path file = Path.of(file(name));
        try (OutputStream out = Files.newOutputStream(file)) {
            Safetensors.write(tensors, out);
        }
        return file.toString();
    }

    @Test
    void anAbsentBackendIsAnErrorAndNotReplaced() {
        CommandLineRun run = CommandLineRun.of(
                "profile", "init", config("gpt2", 1), file("out"), "--backend", "cuda", "--device", "4095");
        System.clearProperty(GpuSettings.DEVICE);
        assertEquals(1, run.exitCode());
        assertTrue(run.err().contains("cuda"), run.err());
        assertFalse(Files.exists(Path.of(file("out"))));
    }

    @Test
    void aStridedSweepIsTheSameOnBothBackends() {
        String[] out = new String[2];
        for (int i = 0; i < 2; i++) {
            CommandLineRun run = CommandLineRun.of(
                    "profile", "sweep", "erf", "--stride", "65537", "--backend", i == 0 ? "reference" : "vector");
            assertEquals(0, run.exitCode(), run.err());
            out[i] = run.out();
        }
        assertEquals(out[0], out[1]);
    }

    private static void assertContainsFields(String expectedLine, String json, List<String> keys) {
        for (String key : keys) {
            assertEquals(value(expectedLine, key), value(json, key), key);
        }
    }

    /** The raw text of a member of a flat JSON object. */
    private static String value(String json, String key) {
        int at = json.indexOf("\"" + key + "\"");
        assertTrue(at >= 0, "no " + key + " in " + json);
        int start = json.indexOf(':', at) + 1;
        int end = start;
        while (end < json.length() && ",}\n".indexOf(json.charAt(end)) < 0) {
            end++;
        }
        return json.substring(start, end).strip();
    }

    private static String hash(String file) {
        CommandLineRun run = CommandLineRun.of("profile", "hash", file, "--json");
        assertEquals(0, run.exitCode(), run.err());
        return value(run.out(), "state_sha256");
    }

    private static String config(String family, int step) {
        return GOLDEN.resolve(family + "-step" + step + ".json").toString();
    }

    private String file(String name) {
        return folder.resolve(name + ".safetensors").toString();
    }
}
