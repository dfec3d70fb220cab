package org.bitwitness.kernels;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.kernels.program.StepConfig;
import org.bitwitness.kernels.program.StepConfigJson;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.JsonFields;
import org.bitwitness.protocol.format.StrictJson;
import org.bitwitness.protocol.tensor.Utf8Order;

/** The golden files of {@code golden/} (see its ORIGIN.md) and the state hash they use. */
final class GoldenFiles {
    private GoldenFiles() {}

    static byte[] bytes(String name) {
        try (InputStream in = GoldenFiles.class.getResourceAsStream("/golden/" + name)) {
            if (in == null) {
                throw new IllegalStateException("no golden file " + name);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static StepConfig config(String family, int step) {
        String name = family + "-step" + step + ".json";
        try {
            return StepConfigJson.read(bytes(name), name);
        } catch (ProtocolException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Tensors of a safetensors file, by name. */
    static Map<String, float[]> tensors(String name) {
        ByteBuffer file = ByteBuffer.wrap(bytes(name)).order(ByteOrder.LITTLE_ENDIAN);
        byte[] header = new byte[Math.toIntExact(file.getLong())];
        file.get(header);
        Map<String, float[]> out = new TreeMap<>(Utf8Order.COMPARATOR);
        try {
            Json.Obj object = StrictJson.object(
                    new String(header, StandardCharsets.UTF_8).trim().getBytes(StandardCharsets.UTF_8), name);
            for (String tensor : object.members().keySet()) {
                List<Long> range =
                        JsonFields.of(name, object).object(tensor).integers("data_offsets", 2, 0, Integer.MAX_VALUE);
                int bytes = (int) (range.get(1) - range.get(0));
                float[] data = new float[bytes / 4];
                file.slice(8 + header.length + range.get(0).intValue(), bytes)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .asFloatBuffer()
                        .get(data);
                out.put(tensor, data);
            }
        } catch (ProtocolException e) {
            throw new IllegalStateException(e);
        }
        return out;
    }

    static HostState state(String name, ParameterManifest manifest, long updateCount) {
        Map<String, float[]> tensors = tensors(name);
        SequencedMap<String, float[][]> moments = new LinkedHashMap<>();
        moments.put("m.", inOrder(manifest, tensors, "m."));
        moments.put("v.", inOrder(manifest, tensors, "v."));
        return new HostState(manifest, inOrder(manifest, tensors, ""), moments, updateCount);
    }

    static float[][] inOrder(ParameterManifest manifest, Map<String, float[]> tensors, String prefix) {
        float[][] out = new float[manifest.count()][];
        for (Parameter p : manifest.parameters()) {
            float[] data = tensors.get(prefix + p.name());
            if (data == null) {
                throw new IllegalStateException("no tensor " + prefix + p.name());
            }
            out[p.index()] = data;
        }
        return out;
    }

    /** SHA-256 over the data of all tensors, moments included, in ascending byte order of their names. */
    static Sha256 stateHash(HostState state) {
        Map<String, float[]> all = new TreeMap<>(Utf8Order.COMPARATOR);
        state.tensors().forEach(tensor -> all.put(tensor.name(), tensor.data()));
        MessageDigest digest = Hashing.newDigest();
        for (float[] data : all.values()) {
            ByteBuffer bytes = ByteBuffer.allocate(data.length * 4).order(ByteOrder.LITTLE_ENDIAN);
            bytes.asFloatBuffer().put(data);
            digest.update(bytes.array());
        }
        return Hashing.finish(digest);
    }

    /** One line of an expected file: line 0 is the initial state, line t the state after step t. */
    static JsonFields expected(String family, int line) {
        String name = family + "-expected.txt";
        List<String> lines = new ArrayList<>(
                new String(bytes(name), StandardCharsets.UTF_8).lines().toList());
        String text = lines.get(line).replaceFirst("^init ", "");
        try {
            return JsonFields.of(name, StrictJson.object(text.getBytes(StandardCharsets.UTF_8), name));
        } catch (ProtocolException e) {
            throw new IllegalStateException(e);
        }
    }
}
