package org.bitwitness.protocol.format;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import org.bitwitness.protocol.tensor.DType;
import org.bitwitness.protocol.tensor.Shape;
import org.bitwitness.protocol.tensor.TensorDigests;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;
import org.bitwitness.protocol.tensor.Utf8Order;

/**
 * Writes safetensors in one spelling: names in the order of their UTF-8 bytes, data in the same order without gaps, no
 * {@code __metadata__}, the header padded with spaces to a multiple of 8. So equal tensors make equal files.
 */
public final class Safetensors {
    static final int LENGTH_BYTES = 8;
    static final String METADATA = "__metadata__";

    private static final int COPY_FLOATS = 1 << 16;

    private Safetensors() {}

    /** Writes the tensors; every NaN becomes 7fc00000, as in hashes. */
    public static void write(List<F32Tensor> tensors, OutputStream out) throws IOException {
        List<F32Tensor> ordered = ordered(tensors);
        SequencedMap<String, Shape> shapes = new LinkedHashMap<>();
        ordered.forEach(tensor -> shapes.put(tensor.name(), tensor.shape()));
        out.write(head(shapes));
        ByteBuffer buffer = ByteBuffer.allocate(COPY_FLOATS * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (F32Tensor tensor : ordered) {
            for (int done = 0; done < tensor.length(); done += COPY_FLOATS) {
                int floats = Math.min(COPY_FLOATS, tensor.length() - done);
                buffer.clear();
                TensorDigests.putLittleEndian(tensor.data(), tensor.offset() + done, floats, buffer);
                out.write(buffer.array(), 0, floats * Float.BYTES);
            }
        }
    }

    private static List<F32Tensor> ordered(List<F32Tensor> tensors) {
        List<F32Tensor> ordered = new ArrayList<>(tensors);
        ordered.sort(Comparator.comparing(F32Tensor::name, Utf8Order.COMPARATOR));
        for (int i = 1; i < ordered.size(); i++) {
            if (ordered.get(i).name().equals(ordered.get(i - 1).name())) {
                throw refused(ordered.get(i).name());
            }
        }
        return ordered;
    }

    private static IllegalArgumentException refused(String name) {
        return new IllegalArgumentException("a tensor cannot be named " + name + " here, or twice");
    }

    /**
     * All of the file before the data: length and header. The data follows in the same order, little-endian, without gaps.
     *
     * @param shapes by name, in the order of the names' UTF-8 bytes
     */
    public static byte[] head(SequencedMap<String, Shape> shapes) {
        Map<String, Json> members = new LinkedHashMap<>();
        long offset = 0;
        for (Map.Entry<String, Shape> tensor : shapes.entrySet()) {
            if (tensor.getKey().equals(METADATA)) {
                throw refused(METADATA);
            }
            long end = offset + tensor.getValue().elementCount() * Float.BYTES;
            members.put(
                    tensor.getKey(),
                    Json.object()
                            .put("dtype", DType.F32.name())
                            .put("shape", Json.integers(tensor.getValue().toArray()))
                            .put("data_offsets", Json.integers(offset, end))
                            .build());
            offset = end;
        }
        String text = new Json.Obj(members).toText();
        int bytes = text.getBytes(StandardCharsets.UTF_8).length;
        byte[] header = (text + " ".repeat((8 - bytes % 8) % 8)).getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(LENGTH_BYTES + header.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(header.length)
                .put(header)
                .array();
    }
}
