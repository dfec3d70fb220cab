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
     * Runs golden steps, a fraction of a second each on the vector backend.
     *
     * @param profile named in the digest
     * @throws org.bitwitness.kernels.BackendAbsentException if this machine has no such backend
     */
    public Result run(BackendId backend, int threads, ProfileId profile, List<GoldenRun> runs) {
        CanonicalEncoder found =
                CanonicalEncoder.of("self-test").text(profile.text()).text(backend.text());
        Optional<String> problem = FloatMode.problem();
        for (GoldenRun golden : runs) {
            List<Sha256> states = states(golden, backend, threads);
            for (int i = 0; i < states.size(); i++) {
                String expected = golden.stateDigests().get(i);
                found.text(golden.file() + "/" + i).digest(states.get(i));
                if (problem.isEmpty() && !states.get(i).hex().equals(expected)) {
                    problem = Optional.of("state %d of the golden run %s should hash to %s, hashes to %s"
                            .formatted(i, golden.file(), expected, states.get(i)));
                }
            }
        }
        return new Result(backend, found.hash(), problem);
    }

    private List<Sha256> states(GoldenRun golden, BackendId backend, int threads) {
        List<Sha256> digests = new ArrayList<>();
        StepConfig first = config(golden.file(), 1);
        try (StepEngine engine =
                engines.engine(ModelTensors.of(first.model(), first.manifest(), first.profile()), backend, threads)) {
            HostState state = engine.initialState(first.initial(), first.optimizer());
            digests.add(digest(state));
            for (int step = 1; step < golden.stateDigests().size(); step++) {
                StepRunner.run(engine, config(golden.file(), step), state);
                digests.add(digest(state));
            }
        }
        return digests;
    }

    static StepConfig config(String run, int step) {
        String name = FOLDER + run + "-step" + step + ".json";
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
