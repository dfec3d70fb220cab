package org.bitwitness.replayer;

import java.util.ArrayList;
import java.util.List;
import org.bitwitness.kernels.program.NumericProfile;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.ModelSpec;
import org.bitwitness.protocol.record.OptimizerSpec;
import org.bitwitness.protocol.record.Reduction;

/**
 * Three training steps whose states are known. The configurations lie beside the class under {@code selftest/}; ORIGIN.md
 * there says who computed the digests.
 *
 * @param file how files, errors and digests call it: {@code bf16-gpt2}
 * @param stateDigests of state 0 and after each step: SHA-256 over the little-endian data of all tensors by the bytes of
 *     their names
 */
public record GoldenRun(String file, List<String> stateDigests) {
    /** Of every run. */
    public static final int STEPS = 3;

    public static final GoldenRun GPT2 = new GoldenRun(
            "gpt2",
            List.of(
                    "63bc7335cab5b1288107930d202e3fb1864cc957da318bcc29b1c0177b2ae086",
                    "ca0ddd6387f7b79de3d92ca3aeafdd56d55b474cd3fa7b04983c1e4ebdc6ec86",
                    "958ec8df61f3a86c2f8da97f449f8b0dd8f0a35cc15a61314d0f2818384faa6d",
                    "142dab0feddba04231fd5cdcfb7be7023a0c0b8cc411e07b4111738fc51c7bca"));

    public static final GoldenRun LLAMA = new GoldenRun(
            "llama",
            List.of(
                    "ead82136368688c9ed86e97ba0ad26d96e2bc3d3cbd411d82da6e1aa8e5ccab4",
                    "7aa6a4024bc2e685806d151ef5b0f64e87f09368382b321c9e8c5b94a43a5dc8",
                    "4b840d1901e5fb57344b8f2d118b1704781826accb1ac0cc2902a70c17b55418",
                    "3b58017dcb5246355e9545061216b564a66527101d75f5cd19d3a15a98d98598"));

    public static final GoldenRun BF16_GPT2 = new GoldenRun(
            "bf16-gpt2",
            List.of(
                    "63bc7335cab5b1288107930d202e3fb1864cc957da318bcc29b1c0177b2ae086",
                    "0829d5b729756fe679bd26503efe304b0c07134c01bd82308aa6e57bf3223a1d",
                    "e66dacecca5717539422dd346fb9e4c23e6e623bcdad1f3dbfffce1597274010",
                    "edae7c2380793b63fcf12c4111f71395aac36cc17926931d8e182c7423aaa28d"));

    public static final GoldenRun BF16_LLAMA = new GoldenRun(
            "bf16-llama",
            List.of(
                    "ead82136368688c9ed86e97ba0ad26d96e2bc3d3cbd411d82da6e1aa8e5ccab4",
                    "52d5b4e8cb21ca5c75258416394cedd7f5e2c21cca9ea5c3a32444c79d11a103",
                    "789bb64c4f25ec19d628fc80f50b248ade805237cb7e2d3e0734395832ae67d0",
                    "a5b8e03b8de30db326411eac80341eaae35028f8dfe8e04125e87a8155791f05"));

    public static final GoldenRun SGD_GPT2 = new GoldenRun(
            "sgd-gpt2",
            List.of(
                    "2ad00cbce3f44baec6c3c68e5311dbd2ddc527032cfb23bb13bfaae201030cc0",
                    "b7aaf6238fba59424d6a684941007858e4648aef62dd7c47955645543b434f80",
                    "7ebb56900565d3703a8d22e0544fc51937fd725292a6c72370e6627e4dbcce31",
                    "e1d38450044fd597928c96ef66701fbd82537c4c987235ab1d4bb1ff88ae92e7"));

    public static final GoldenRun SGD_LLAMA = new GoldenRun(
            "sgd-llama",
            List.of(
                    "49356eba497d06abfb15e54ce818fc950c89c2b26a365b62370ba24996a8cea4",
                    "f8b607719af9c2eb8b77628d125d8a6c1c6f7022b78b991ec225d57311fd857b",
                    "e4d2cfbc23e2ab6021324bdd5dcf3ab6a2481fa2c173c2c9c111455d0f535035",
                    "8e5dab54a89d2a67728ceaf66bd34f9ac188d38ff234db4d4b441b956d496ded"));

    public static final GoldenRun KRUM_GPT2 = new GoldenRun(
            "krum-gpt2",
            List.of(
                    "63bc7335cab5b1288107930d202e3fb1864cc957da318bcc29b1c0177b2ae086",
                    "8996916bce195050ec38c5662b9fa25e8f016e5f9dfed22290d90054826699f9",
                    "f6253c8cb573c65e29f3dfd21933bccee482ac71e8bf4380ffe8d9573760202f",
                    "47333d90ba764f25b755f748a831556a1dbcf5558e4d47b5f69f12316ebee44e"));

    public static final GoldenRun TRIMMED_LLAMA = new GoldenRun(
            "trimmed-llama",
            List.of(
                    "ead82136368688c9ed86e97ba0ad26d96e2bc3d3cbd411d82da6e1aa8e5ccab4",
                    "8073db3bd082c02e2b03582b8b395d5922943e8abdb1f562234c3c9545b5eb00",
                    "0427d731c3f2bac6bbf625abecfae40828904e344a81e4156bac961306a577d5",
                    "d2f82d97c48bcc96bcbe78a548892d5d6427948206f065da851b9d88b8f4123b"));

    public static final GoldenRun MLP = new GoldenRun(
            "mlp",
            List.of(
                    "b4b8ca29ac9671ffb6015c8fc55bce038b655d3319971a5112bcaed1c1a77f64",
                    "ec81daf78e2687da204a1d12f6857cbe7e68da5ea69b59fb215a3389320b9e69",
                    "a13e94de5225592fadaf1da94f23659a98347f674a7273c7c1d139f2e9b0674b",
                    "f71b55692cdf69793708045c72039d695d378f79dc9f97bb7ee581c13342e125"));

    public static final GoldenRun BF16_MLP = new GoldenRun(
            "bf16-mlp",
            List.of(
                    "b4b8ca29ac9671ffb6015c8fc55bce038b655d3319971a5112bcaed1c1a77f64",
                    "377c38f48cf5a9a49710848b1b38e80ab5c5e165be9937bde61ae27f084a713a",
                    "317143161dfba2061a63180982bc92e0a19a01cbadf49a3383799d5a14150da4",
                    "ab6b439bcd6cdff1a8f49b2825861341474bc1b5f016bb69ce52c8da87eb22f3"));

    /** Those that use every operator of a run: its profile, its optimizer, its rule of combining. */
    static List<GoldenRun> neededBy(Descriptor run) {
        List<GoldenRun> needed = new ArrayList<>(
                switch (NumericProfile.of(run.profile())) {
                    case F32_C512 -> List.of(GPT2, LLAMA);
                    case BF16_C512 -> List.of(BF16_GPT2, BF16_LLAMA);
                });
        if (run.model().family() == ModelSpec.Family.MLP) {
            needed.add(NumericProfile.of(run.profile()).storesBf16() ? BF16_MLP : MLP);
        }
        if (run.optimizer() instanceof OptimizerSpec.Sgd) {
            needed.addAll(List.of(SGD_GPT2, SGD_LLAMA));
        }
        if (run.aggregation().reduction() instanceof Reduction.Robust) {
            needed.addAll(List.of(KRUM_GPT2, TRIMMED_LLAMA));
        }
        return needed;
    }
}
