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
import java.util.Collections;
import java.util.List;
import org.bitwitness.cli.CommandLineRun;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.kernels.program.RopeTable;
import org.bitwitness.kernels.program.StepConfig;
import org.bitwitness.kernels.program.StepConfigJson;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.format.Safetensors;
import org.bitwitness.protocol.tensor.Shape;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The fields of a configuration, through the command line. */
class ProfileFieldsTest {
    private static final Path GOLDEN = Path.of("../deterministic-kernels/src/test/resources/golden");

    @TempDir
    private Path folder = Path.of("");

    @ParameterizedTest
    @ValueSource(strings = {"sgd-llama", "bf16-gpt2", "krum-gpt2"})
    void initAndTwoStepsEndInTheStatesOfOurOwnGoldenRuns(String run) throws IOException {
        List<String> expected = Files.readAllLines(GOLDEN.resolve(run + "-expected.txt"));
        String state = file("0");
        assertContains(expected.get(0), ok("profile", "init", golden(run + "-step1.json"), state));
        for (int step = 1; step <= 2; step++) {
            String next = file(Integer.toString(step));
            assertContains(
                    expected.get(step), ok("profile", "step", golden(run + "-step" + step + ".json"), state, next));
            state = next;
        }
    }

    /** Every target left out: nothing to average over. With one left, the step counts one. */
    @Test
    void targetsOfMinusOneAreNotCountedAndAStepWithoutTargetsIsInvalid() throws IOException {
        String config =
                read("gpt2-step1.json").replaceAll("\"targets\":\\[\\[[0-9,]*\\],\\[[0-9,]*\\]\\]", "\"targets\":T");
        String none = "[[" + "-1,".repeat(15) + "-1],[" + "-1,".repeat(15) + "-1]]";
        CommandLineRun invalid = step(config.replace("T", none).replace("\"\",", ""), "gpt2-state0.safetensors");
        assertEquals(3, invalid.exitCode(), invalid.err());
        assertTrue(invalid.out().contains("count 0"), invalid.out());
        assertFalse(Files.exists(Path.of(file("out"))));
        CommandLineRun one = step(
                config.replaceFirst("T", none.replaceFirst("-1", "7")).replace("T", none), "gpt2-state0.safetensors");
        assertEquals(0, one.exitCode(), one.err());
        assertTrue(one.out().contains("count 1\n"), one.out());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '#',
            value = {
                "\"dropout\":0.1|\"dropout\":0.1,\"attn_pdrop\":0",
                "\"seed\":1311768467463790320|\"seed\":1",
                "\"max_norm\":1.0|\"max_norm\":0",
                "\"profile\":\"F32-C512 v1\"|\"profile\":\"BF16-C512 v1\"",
            })
    void everyFieldDecidesBits(String from, String to) throws IOException {
        String text = read("gpt2-step1.json");
        assertTrue(text.contains(from), text);
        CommandLineRun changed = step(text.replace(from, to), "gpt2-state0.safetensors");
        assertEquals(0, changed.exitCode(), changed.err());
        assertNotEquals(stateOf(read("gpt2-expected.txt").lines().toList().get(1)), stateOf(changed.out()));
    }

    /** Two workers have one tree, up to the order of its two leaves, and IEEE addition commutes. */
    @ParameterizedTest
    @ValueSource(strings = {"\"binary-blocks\"", "[0,1]", "\"[1,0]\"", "[1,0]"})
    void nestedPairsAreReadAsJsonAndAsText(String tree) throws IOException {
        CommandLineRun run = step(
                read("gpt2-step1.json").replace("\"tree\":\"ascending\"", "\"tree\":" + tree),
                "gpt2-state0.safetensors");
        assertEquals(0, run.exitCode(), run.err());
        assertEquals(stateOf(read("gpt2-expected.txt").lines().toList().get(1)), stateOf(run.out()));
    }

    /** The manifest's order decides the order of the norm's chain and the tensors' numbers when weights are drawn. */
    @Test
    void aManifestInAnotherOrderChangesTheInitialWeightsAndHasToNameEveryParameter() throws Exception {
        String text = read("gpt2-step1.json");
        StepConfig config = StepConfigJson.read(Files.readAllBytes(GOLDEN.resolve("gpt2-step1.json")), "config");
        List<String> names = new ArrayList<>();
        ParameterManifest.of(config.model()).parameters().forEach(p -> names.add('"' + p.name() + '"'));
        String expected = stateOf(read("gpt2-expected.txt").lines().toList().get(0));
        assertEquals(expected, stateOf(init(text, names).out()));
        Collections.reverse(names);
        assertNotEquals(expected, stateOf(init(text, names).out()));
        CommandLineRun refused = init(text, names.subList(1, names.size()));
        assertEquals(1, refused.exitCode());
        assertTrue(refused.err().contains("should name each of the model's 28 parameters once"), refused.err());
    }

    @Test
    void aRotaryTableFromAFileIsUsedAndOneOfAnotherSizeRefused() throws Exception {
        String text = read("llama-step1.json").replace("\"rope_theta\"", "\"rope_table\":\"rope.st\",\"rope_theta\"");
        StepConfig config = StepConfigJson.read(Files.readAllBytes(GOLDEN.resolve("llama-step1.json")), "config");
        RopeTable table = RopeTable.compute(config.model());
        String expected = stateOf(read("llama-expected.txt").lines().toList().get(1));
        writeTable(table.context(), table.half(), table.cos(), table.sin());
        assertEquals(expected, stateOf(step(text, "llama-state0.safetensors").out()));
        float[] other = table.cos().clone();
        other[table.half()] = Math.nextUp(other[table.half()]);
        writeTable(table.context(), table.half(), other, table.sin());
        assertNotEquals(expected, stateOf(step(text, "llama-state0.safetensors").out()));
        writeTable(table.context() * table.half(), 1, table.cos(), table.sin());
        CommandLineRun refused = step(text, "llama-state0.safetensors");
        assertEquals(1, refused.exitCode());
        assertTrue(refused.err().contains("cos and sin"), refused.err());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '#',
            value = {
                "F32-C512 v1|F32-C512|no numeric profile of this version is called",
                "ORDERED|MEAN|no reduction is spelled",
                "ORDERED|KRUM(1)|needs at least 3 workers",
                "ascending|[0,0]|each position from 0 to 1 once",
                "\"lr\"|\"optimizer\":\"sgd\",\"lr\"|momentum",
            })
    void refusesWhatNoStepCanBe(String from, String to, String reason) throws IOException {
        CommandLineRun run = step(read("gpt2-step1.json").replace(from, to), "gpt2-state0.safetensors");
        assertEquals(1, run.exitCode(), run.out());
        assertTrue(run.err().contains(reason), run.err());
    }

    @Test
    void aStateOfAnotherOptimizerIsRefused() throws IOException {
        CommandLineRun run = step(read("sgd-gpt2-step1.json"), "gpt2-state0.safetensors");
        assertEquals(1, run.exitCode());
        assertTrue(run.err().contains("tensors that the model does not have"), run.err());
    }

    @ParameterizedTest
    @ValueSource(strings = {"exp", "log", "tanh", "sigmoid", "erf", "rsqrt"})
    void everyFunctionCanBeSwept(String function) {
        String out = ok("profile", "sweep", function, "--stride", "1048573", "--backend", "vector");
        assertEquals(
                out, ok("profile", "sweep", function, "--stride", "1048573", "--backend", "vector", "--threads", "2"));
    }

    private CommandLineRun init(String text, List<String> manifest) throws IOException {
        String config = text.replace("\"lr\"", "\"manifest\":[" + String.join(",", manifest) + "],\"lr\"");
        Files.writeString(Path.of(file("config.json")), config);
        return CommandLineRun.of("profile", "init", file("config.json"), file("init"), "--json");
    }

    private CommandLineRun step(String config, String state) throws IOException {
        Files.writeString(Path.of(file("config.json")), config);
        return CommandLineRun.of("profile", "step", file("config.json"), golden(state), file("out"));
    }

    private static String ok(String... arguments) {
        CommandLineRun run = CommandLineRun.of(arguments);
        assertEquals(0, run.exitCode(), run.err());
        return run.out();
    }

    private void writeTable(int rows, int columns, float[] cos, float[] sin) throws IOException, ProtocolException {
        try (OutputStream out = Files.newOutputStream(folder.resolve("rope.st"))) {
            Shape shape = Shape.of(rows, columns);
            Safetensors.write(List.of(F32Tensor.of("cos", shape, cos), F32Tensor.of("sin", shape, sin)), out);
        }
    }

    private static void assertContains(String expectedLine, String out) {
        assertEquals(stateOf(expectedLine), stateOf(out));
    }

    /** The 64 digits of the state's hash. */
    private static String stateOf(String text) {
        var digits = java.util.regex.Pattern.compile("[0-9a-f]{64}").matcher(text);
        assertTrue(digits.find(), text);
        return digits.group();
    }

    private static String read(String name) throws IOException {
        return Files.readString(GOLDEN.resolve(name));
    }

    private static String golden(String name) {
        return GOLDEN.resolve(name).toString();
    }

    private String file(String name) {
        return folder.resolve(name).toString();
    }
}
