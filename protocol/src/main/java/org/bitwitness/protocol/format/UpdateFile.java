package org.bitwitness.protocol.format;

import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.store.RecordingStore;
import org.bitwitness.protocol.store.StoredFile;
import org.bitwitness.protocol.tensor.Shape;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;
import org.bitwitness.protocol.tensor.Utf8Order;

/**
 * {@code updates/<step>.update}: the combined gradient of one step, before clipping. With it the step's update is done
 * again without any gradient being computed, so every state of a run is near.
 *
 * <pre>
 * "BWUPDATE" ‖ version u32 (1) ‖ step u64 ‖ values u64 ‖ values of a block u32 ‖ blocks        big-endian
 * </pre>
 *
 * The values are those of all tensors, one tensor after the other by the UTF-8 bytes of their names, cut into blocks
 * across tensors. Names and shapes are the model's and are not repeated. Whether the content is the right one, the
 * step's combinedRoot says.
 */
public final class UpdateFile {
    static final int VERSION = 1;
    /** Values of a block as written; a reader takes up to four times as many. */
    static final int BLOCK_VALUES = 1 << 18;

    private static final int MAX_BLOCK_VALUES = 1 << 20;
    private static final byte[] MAGIC = "BWUPDATE".getBytes(StandardCharsets.US_ASCII);
    private static final int HEADER_BYTES = 8 + 4 + 8 + 8 + 4;
    private static final int PLANE_HEADER_BYTES = 5;

    private UpdateFile() {}

    /** Writes a step's combined gradient; the order of the tensors does not matter. */
    static void write(StepIndex step, List<F32Tensor> tensors, OutputStream to) throws IOException {
        List<F32Tensor> ordered = tensors.stream()
                .sorted(Comparator.comparing(F32Tensor::name, Utf8Order.COMPARATOR))
                .toList();
        long values = ordered.stream().mapToLong(F32Tensor::length).sum();
        DataOutputStream out = new DataOutputStream(to);
        out.write(MAGIC);
        out.writeInt(VERSION);
        out.writeLong(step.value());
        out.writeLong(values);
        int blockValues = (int) Math.min(BLOCK_VALUES, values);
        out.writeInt(blockValues);
        BytePlanes block = new BytePlanes(blockValues);
        int filled = 0;
        for (F32Tensor tensor : ordered) {
            for (int i = 0; i < tensor.length(); i++) {
                block.set(filled++, tensor.data()[tensor.offset() + i]);
                if (filled == blockValues) {
                    block.write(filled, out);
                    filled = 0;
                }
            }
        }
        if (filled > 0) {
            block.write(filled, out);
        }
        out.flush();
    }

    /**
     * Reads a step's combined gradient. Nothing but one block is allocated before the header agrees with the model.
     *
     * @param shapes of the model's parameters by name
     * @return the values of each, under its name
     */
    static Map<String, float[]> read(RecordingStore store, StepIndex step, Map<String, Shape> shapes)
            throws ProtocolException {
        RecordingPath path = RecordingPaths.update(step.value());
        Map<String, Shape> ordered = new TreeMap<>(Utf8Order.COMPARATOR);
        ordered.putAll(shapes);
        long expected = shapes.values().stream().mapToLong(Shape::elementCount).sum();
        try (StoredFile file = store.open(path)) {
            int blockValues = header(file, path, step, expected);
            Map<String, float[]> tensors = new LinkedHashMap<>();
            ordered.forEach((name, shape) -> tensors.put(name, new float[Math.toIntExact(shape.elementCount())]));
            new Blocks(file, path, blockValues, expected).fill(tensors.values());
            return tensors;
        }
    }

    private static int header(StoredFile file, RecordingPath path, StepIndex step, long expected)
            throws ProtocolException {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
        if (file.size() < HEADER_BYTES) {
            throw ProtocolException.malformed("%s: has %d bytes, its header alone %d", path, file.size(), HEADER_BYTES);
        }
        file.read(0, header);
        header.flip();
        byte[] magic = new byte[MAGIC.length];
        header.get(magic);
        int version = header.getInt();
        if (!Arrays.equals(magic, MAGIC) || version != VERSION) {
            throw ProtocolException.malformed(
                    "%s: should begin with BWUPDATE and version %d, the one this program knows; has version %s",
                    path, VERSION, Integer.toUnsignedString(version));
        }
        long says = header.getLong();
        if (says != step.value()) {
            throw ProtocolException.unequal("%s: should be the update of step %s, says step %d", path, step, says);
        }
        long values = header.getLong();
        if (values != expected) {
            throw ProtocolException.unequal("%s: the model has %d values, the file says %d", path, expected, values);
        }
        int blockValues = header.getInt();
        if (blockValues < 1 || blockValues > MAX_BLOCK_VALUES) {
            throw ProtocolException.overLimit(
                    "%s: a block has from 1 to %d values, says %s",
                    path, MAX_BLOCK_VALUES, Integer.toUnsignedString(blockValues));
        }
        return blockValues;
    }

    /** Walks through the blocks of a file. */
    private static final class Blocks {
        private final StoredFile file;
        private final RecordingPath path;
        private final BytePlanes block;
        private final ByteBuffer window;
        private final int blockValues;
        private long left;
        private long position = HEADER_BYTES;
        private int next;
        private int count;

        Blocks(StoredFile file, RecordingPath path, int blockValues, long values) {
            this.file = file;
            this.path = path;
            this.block = new BytePlanes(blockValues);
            this.blockValues = blockValues;
            this.window = ByteBuffer.allocate(BytePlanes.PLANES * (blockValues + PLANE_HEADER_BYTES));
            this.left = values;
        }

        void fill(Iterable<float[]> tensors) throws ProtocolException {
            for (float[] tensor : tensors) {
                for (int i = 0; i < tensor.length; i++) {
                    if (next == count) {
                        load();
                    }
                    tensor[i] = block.get(next++);
                }
            }
            if (position != file.size()) {
                throw ProtocolException.malformed("%s: %d bytes after its last block", path, file.size() - position);
            }
        }

        private void load() throws ProtocolException {
            count = (int) Math.min(blockValues, left);
            next = 0;
            left -= count;
            window.clear().limit((int) Math.min(window.capacity(), file.size() - position));
            file.read(position, window);
            window.flip();
            block.read(count, window, path.text());
            position += window.position();
        }
    }
}
