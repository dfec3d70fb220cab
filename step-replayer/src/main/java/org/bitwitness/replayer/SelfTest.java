package org.bitwitness.replayer;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.FloatMode;
import org.bitwitness.kernels.StepEngine;
import org.bitwitness.kernels.StepRunner;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.ModelTensors;
import org.bitwitness.kernels.program.StepConfig;
import org.bitwitness.kernels.program.StepConfigJson;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProfileId;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.bytes.CanonicalEncoder;
import org.bitwitness.protocol.tensor.Utf8Order;

/**
 * Runs golden training steps on a backend and compares the states bit for bit with those of an independent
 * implementation. A backend that fails on this machine can neither confirm nor accuse.
 */
public final class SelfTest {
    private static final String FOLDER = "selftest/";

    /** A golden run: its name and the digest after state 0, then after each step. */
    private record Golden(String family, List<String> stateDigests) {}

    /** From the expected results beside the configurations; see ORIGIN.md there. */
    private static final List<Golden> GOLDENS = List.of(
            new Golden(
                    "gpt2",
                    List.of(
                            "63bc7335cab5b1288107930d202e3fb1864cc957da318bcc29b1c0177b2ae086",
                            "ca0ddd6387f7b79de3d92ca3aeafdd56d55b474cd3fa7b04983c1e4ebdc6ec86",
                            "958ec8df61f3a86c2f8da97f449f8b0dd8f0a35cc15a61314d0f2818384faa6d",
                            "142dab0feddba04231fd5cdcfb7be7023a0c0b8cc411e07b4111738fc51c7bca")),
            new Golden(
                    "llama",
                    List.of(
                            "ead82136368688c9ed86e97ba0ad26d96e2bc3d3cbd411d82da6e1aa8e5ccab4",
                            "7aa6a4024bc2e685806d151ef5b0f64e87f09368382b321c9e8c5b94a43a5dc8",
                            "4b840d1901e5fb57344b8f2d118b1704781826accb1ac0cc2902a70c17b55418",
                            "3b58017dcb5246355e9545061216b564a66527101d75f5cd19d3a15a98d98598")));

    /**
     * What a backend computed.
     *
     * @param digest {@code H(self-test, profile, backend, name, digest found, …)} over every state computed
     * @param problem the first difference, or nothing when all bits agree
     */
    public record Result(BackendId backend, Sha256 digest, Optional<String> problem) {}

    private final EngineFactory engines;

    public SelfTest(EngineFactory engines) {
        this.engines = engines;
    }

    /**
     * Runs every golden step, a fraction of a second on the vector backend.
     *
     * @throws org.bitwitness.kernels.BackendAbsentException if this machine has no such backend
     */
    public Result run(BackendId backend, int threads) {
        CanonicalEncoder found =
                CanonicalEncoder.of("self-test").text(ProfileId.F32_C512.text()).text(backend.text());
        Optional<String> problem = FloatMode.problem();
        for (Golden golden : GOLDENS) {
            List<Sha256> states = states(golden, backend, threads);
            for (int i = 0; i < states.size(); i++) {
                String expected = golden.stateDigests().get(i);
                found.text(golden.family() + "/" + i).digest(states.get(i));
                if (problem.isEmpty() && !states.get(i).hex().equals(expected)) {
                    problem = Optional.of("state %d of the golden %s run should hash to %s, hashes to %s"
                            .formatted(i, golden.family(), expected, states.get(i)));
                }
            }
        }
        return new Result(backend, found.hash(), problem);
    }

    private List<Sha256> states(Golden golden, BackendId backend, int threads) {
        List<Sha256> digests = new ArrayList<>();
        StepConfig first = config(golden.family(), 1);
        try (StepEngine engine =
                engines.engine(ModelTensors.of(first.model(), first.manifest(), first.profile()), backend, threads)) {
            HostState state = engine.initialState(first.initial(), first.optimizer());
            digests.add(digest(state));
            for (int step = 1; step < golden.stateDigests().size(); step++) {
                StepRunner.run(engine, config(golden.family(), step), state);
                digests.add(digest(state));
            }
        }
        return digests;
    }

    private static StepConfig config(String family, int step) {
        String name = FOLDER + family + "-step" + step + ".json";
        try (InputStream in = SelfTest.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("the self-test file " + name + " is missing from the build");
            }
            return StepConfigJson.read(in.readAllBytes(), name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (ProtocolException e) {
            throw new IllegalStateException("the self-test file " + name + " is damaged: " + e.getMessage(), e);
        }
    }

    /** SHA-256 over the little-endian data of all tensors by the bytes of their names. */
    private static Sha256 digest(HostState state) {
        SortedMap<String, float[]> tensors = new TreeMap<>(Utf8Order.COMPARATOR);
        state.tensors().forEach(tensor -> tensors.put(tensor.name(), tensor.data()));
        MessageDigest digest = Hashing.newDigest();
        for (float[] data : tensors.values()) {
            ByteBuffer bytes = ByteBuffer.allocate(data.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
            bytes.asFloatBuffer().put(data);
            digest.update(bytes);
        }
        return Hashing.finish(digest);
    }
}
