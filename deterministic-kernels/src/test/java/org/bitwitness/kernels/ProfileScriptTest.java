package org.bitwitness.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.bitwitness.kernels.PythonScripts.Ended;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code benchmarks/pytorch/check_profile.py} was written from docs/numerics.md, not from this code; it has to come to the
 * same bits. Skipped where Python has no NumPy.
 */
class ProfileScriptTest {
    private static final Path GOLDEN = Path.of(System.getProperty("bitwitness.home", "."))
            .resolve("deterministic-kernels/src/test/resources/golden");
    private static final long SEED = 20_261_130;

    /** 192 channels and 133 positions are more than 128 lanes, 532 tokens and 520 inner channels more than one chunk. */
    private static final WrittenRun LONG_GPT2 = new WrittenRun(
            """
            "profile":"PROFILE","family":"gpt2","tied":false,"context":140,"d":192,"layers":1,"heads":3,"ff":520,
            "norm_eps":1e-05,"seed":-81985529216486896,"step":1,"embd_pdrop":0.1,"attn_pdrop":0.25,"resid_pdrop":0.05,
            "init_std":0.05,"lr":0.001,"beta1":0.9,"beta2":0.95,"eps":1e-08,"weight_decay":0.1,"max_norm":0.5,
            "reduction":"ORDERED","tree":"binary-blocks","average":"workers\"""",
            List.of(
                    List.of(List.of(133, 133, 133, 133)),
                    List.of(List.of(5), List.of(140, 140)),
                    List.of(List.of(1, 1, 1), List.of(7))));

    private static final WrittenRun LONG_LLAMA = new WrittenRun(
            """
            "profile":"PROFILE","family":"llama","tied":true,"context":150,"d":136,"layers":2,"heads":6,"kv_heads":2,
            "head_dim":26,"ff":530,"norm_eps":1e-06,"rope_theta":500.0,"seed":7,"step":1,"dropout":0.1,"init_std":0.05,
            "optimizer":"sgd","lr":0.1,"momentum":0.9,"dampening":0.5,"weight_decay":0.01,"max_norm":0,
            "reduction":"EXACT","average":"tokens\"""",
            List.of(List.of(List.of(129, 129, 129, 129)), List.of(List.of(31, 31), List.of(150)), List.of(List.of(3))));

    @TempDir
    private Path folder;

    @BeforeAll
    static void numPyIsHere() {
        PythonScripts.needs("numpy");
    }

    @Test
    void theRunsInSixteenBitsAreWhatTheTextSays() {
        agrees(8, golden("bf16-gpt2"), golden("bf16-llama"));
    }

    @Test
    void aBitThatTheTextDoesNotSayIsSeen() throws IOException {
        differs("bf16-gpt2", "3ff099162181ed5c", "3ff099162181ed5d", "norm_bits: expected 3ff099162181ed5d");
    }

    /** Twin of the first test: the other profile has other bits. */
    @Test
    void aStepThatDoesNotRoundIsSeen() throws IOException {
        differs("bf16-llama", "BF16-C512 v1", "F32-C512 v1", "loss_bits: expected 40838ec1, computed 40838f9b");
    }

    @Tag("slow")
    @Test
    void everyOtherGoldenRunIsWhatTheTextSays() {
        String[] runs = Stream.of(GoldenRun.FROM_OUTSIDE, GoldenRun.OUR_OWN)
                .flatMap(List::stream)
                .filter(run -> !run.startsWith("bf16-"))
                .map(ProfileScriptTest::golden)
                .toArray(String[]::new);
        agrees(28, runs);
    }

    @Tag("slow")
    @ParameterizedTest
    @ValueSource(strings = {"F32-C512 v1", "BF16-C512 v1"})
    void longRowsLongSumsPaddingAndUnevenWorkersAreWhatTheTextSays(String profile) throws IOException {
        System.out.println("seed " + SEED);
        agrees(2, of(profile, LONG_GPT2).write(folder, "long-gpt2", SEED));
        agrees(2, of(profile, LONG_LLAMA).write(folder, "long-llama", SEED + 1));
    }

    private static WrittenRun of(String profile, WrittenRun run) {
        return new WrittenRun(run.settings().replace("PROFILE", profile), run.workers());
    }

    private static String golden(String run) {
        return GOLDEN.resolve(run).toString();
    }

    private static void agrees(int states, String... paths) {
        Ended ended = PythonScripts.run("check_profile.py", List.of(paths));
        assertEquals(0, ended.exitCode(), ended.output());
        assertEquals(states, ended.linesEnding(" ok"), ended.output());
    }

    /** Copies the first step of a run with one text replaced in both its files, and says how the script has to notice. */
    private void differs(String run, String text, String replacement, String complaint) throws IOException {
        for (String ending : List.of("-step1.json", "-expected.txt")) {
            String original = new String(GoldenFiles.bytes(run + ending), StandardCharsets.UTF_8);
            Files.writeString(folder.resolve(run + ending), original.replace(text, replacement));
        }
        Ended ended = PythonScripts.run(
                "check_profile.py", List.of("--steps", "1", folder.resolve(run).toString()));
        assertEquals(1, ended.exitCode(), ended.output());
        assertTrue(ended.output().contains(complaint), ended.output());
    }
}
