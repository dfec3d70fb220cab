package org.bitwitness.cli.profile;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.ModelConfig;
import org.bitwitness.kernels.program.ModelTensors;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.kernels.program.RopeTable;
import org.bitwitness.kernels.program.StepConfig;
import org.bitwitness.kernels.program.StepConfigJson;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.format.Safetensors;
import org.bitwitness.protocol.format.SafetensorsFile;
import org.bitwitness.protocol.format.TensorInfo;
import org.bitwitness.protocol.store.LocalFile;
import org.bitwitness.protocol.tensor.Shape;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;
import org.bitwitness.protocol.tensor.Utf8Order;

/**
 * Files of the conformance interface: configurations, states (parameters and moments in one safetensors
 * file) and the state hash, SHA-256 over the little-endian data of all tensors in ascending byte order of their names.
 */
final class ProfileFiles {
    private static final long MAX_CONFIG_BYTES = 256L << 20;

    private ProfileFiles() {}

    static StepConfig config(Path file) throws IOException, CommandFailure {
        long size = Files.size(file);
        if (size > MAX_CONFIG_BYTES) {
            throw CommandFailure.usage("%s: a configuration has at most %d bytes, this one has %d"
                    .formatted(file, MAX_CONFIG_BYTES, size));
        }
        try {
            return StepConfigJson.read(Files.readAllBytes(file), file.toString());
        } catch (ProtocolException e) {
            throw refused(e);
        }
    }

    /** The model's tensors, with the rotary table that the configuration names. */
    static ModelTensors tensors(StepConfig config, Path configFile) throws CommandFailure, IOException {
        Optional<RopeTable> table = Optional.empty();
        if (config.ropeTable().isPresent()) {
            table = Optional.of(
                    ropeTable(configFile.resolveSibling(config.ropeTable().get()), config.model()));
        }
        try {
            return ModelTensors.of(config.model(), config.manifest(), config.profile(), table);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(configFile + ": " + e.getMessage());
        }
    }

    /** Reads a state that has exactly the tensors of the manifest; a tied head may be there a second time. */
    static HostState state(Path file, StepConfig config) throws IOException, CommandFailure {
        ParameterManifest manifest = config.manifest();
        try (SafetensorsFile tensors = open(file)) {
            requireExactly(file, tensors.tensors(), config);
            requireSameHead(file, tensors, config);
            SequencedMap<String, float[][]> moments = new LinkedHashMap<>();
            for (String prefix : config.optimizer().momentPrefixes()) {
                moments.put(prefix, read(tensors, manifest, prefix));
            }
            return new HostState(manifest, read(tensors, manifest, ""), moments, config.step() - 1);
        } catch (ProtocolException e) {
            throw refused(e);
        }
    }

    static void writeState(HostState state, Path file) throws IOException {
        write(state.tensors(), file);
    }

    /** Writes beside the file and renames, so that a file with this name is always complete. */
    static void write(List<F32Tensor> tensors, Path file) throws IOException {
        Path part = file.resolveSibling(file.getFileName() + ".part");
        try {
            try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(part))) {
                Safetensors.write(tensors, out);
            }
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    static Sha256 hash(HostState state) {
        Map<String, float[]> byName = new TreeMap<>(Utf8Order.COMPARATOR);
        state.tensors().forEach(tensor -> byName.put(tensor.name(), tensor.data()));
        MessageDigest digest = Hashing.newDigest();
        byName.values().forEach(data -> update(digest, data));
        return Hashing.finish(digest);
    }

    /** The state hash of a file, and how many tensors it has. */
    static HashedFile hash(Path file) throws IOException, CommandFailure {
        try (SafetensorsFile tensors = open(file)) {
            List<String> names = new ArrayList<>(tensors.tensors().keySet());
            names.sort(Utf8Order.COMPARATOR);
            MessageDigest digest = Hashing.newDigest();
            for (String name : names) {
                update(digest, tensors.read(name));
            }
            return new HashedFile(names.size(), Hashing.finish(digest));
        } catch (ProtocolException e) {
            throw refused(e);
        }
    }

    record HashedFile(int tensors, Sha256 digest) {}

    static SafetensorsFile open(Path file) throws IOException, ProtocolException {
        return SafetensorsFile.open(file.toString(), LocalFile.open(file.toString(), file));
    }

    private static void update(MessageDigest digest, float[] data) {
        ByteBuffer bytes = ByteBuffer.allocate(Math.multiplyExact(data.length, Float.BYTES))
                .order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(data);
        digest.update(bytes);
    }

    private static float[][] read(SafetensorsFile tensors, ParameterManifest manifest, String prefix)
            throws ProtocolException {
        float[][] out = new float[manifest.count()][];
        for (Parameter p : manifest.parameters()) {
            out[p.index()] = tensors.read(prefix + p.name());
        }
        return out;
    }

    private static void requireExactly(Path file, Map<String, TensorInfo> found, StepConfig config)
            throws CommandFailure {
        Set<String> strangers = new HashSet<>(found.keySet());
        config.manifest().tiedHead(config.model()).ifPresent(alias -> strangers.remove(alias.name()));
        for (Parameter p : config.manifest().parameters()) {
            List<String> names = new ArrayList<>(List.of(p.name()));
            config.optimizer().momentPrefixes().forEach(prefix -> names.add(prefix + p.name()));
            for (String name : names) {
                TensorInfo tensor = found.get(name);
                if (tensor == null) {
                    throw CommandFailure.usage("%s: the tensor %s %s is missing".formatted(file, name, p.shape()));
                }
                if (!tensor.shape().equals(p.shape())) {
                    throw CommandFailure.usage(
                            "%s: the tensor %s should be %s, is %s".formatted(file, name, p.shape(), tensor.shape()));
                }
                strangers.remove(name);
            }
        }
        if (!strangers.isEmpty()) {
            throw CommandFailure.usage("%s: tensors that the model does not have: %s".formatted(file, strangers));
        }
    }

    /** A copy of the embedding under the head's name says the same, or it is not said which of the two is meant. */
    private static void requireSameHead(Path file, SafetensorsFile tensors, StepConfig config)
            throws CommandFailure, ProtocolException {
        Optional<ParameterManifest.Alias> tied = config.manifest().tiedHead(config.model());
        if (tied.isEmpty()) {
            return;
        }
        ParameterManifest.Alias alias = tied.get();
        TensorInfo copy = tensors.tensors().get(alias.name());
        if (copy == null) {
            return;
        }
        if (!copy.shape().equals(alias.of().shape())) {
            throw CommandFailure.usage("%s: the tensor %s should be %s, is %s"
                    .formatted(file, alias.name(), alias.of().shape(), copy.shape()));
        }
        float[] head = tensors.read(alias.name());
        float[] tokens = tensors.read(alias.of().name());
        for (int i = 0; i < head.length; i++) {
            if (Float.floatToIntBits(head[i]) != Float.floatToIntBits(tokens[i])) {
                throw CommandFailure.usage(
                        "%s: the model is tied, but %s and %s differ at element %d (%08x and %08x): leave %s out, or say \"tied\": false"
                                .formatted(
                                        file,
                                        alias.name(),
                                        alias.of().name(),
                                        i,
                                        Float.floatToIntBits(head[i]),
                                        Float.floatToIntBits(tokens[i]),
                                        alias.name()));
            }
        }
    }

    private static RopeTable ropeTable(Path file, ModelConfig model) throws IOException, CommandFailure {
        try (SafetensorsFile tensors = open(file)) {
            for (String name : List.of("cos", "sin")) {
                TensorInfo tensor = tensors.tensors().get(name);
                Shape expected = Shape.of(model.context(), model.headDim() / 2);
                if (tensor == null || !tensor.shape().equals(expected)) {
                    throw CommandFailure.usage(
                            "%s: a rope table has the F32 tensors cos and sin %s".formatted(file, expected));
                }
            }
            return new RopeTable(model.context(), model.headDim() / 2, tensors.read("cos"), tensors.read("sin"));
        } catch (ProtocolException e) {
            throw refused(e);
        }
    }

    /** A file that a person named: what is wrong with it is a usage error, nothing was judged. */
    private static CommandFailure refused(ProtocolException e) {
        String message = e.getMessage();
        return CommandFailure.usage(message == null ? e.toString() : message);
    }
}
