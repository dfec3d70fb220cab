package org.bitwitness.cli.dispute;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.bitwitness.kernels.MicroBatch;
import org.bitwitness.kernels.program.BatchShape;
import org.bitwitness.kernels.trace.TensorSource;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.record.MicroBatchRecord;
import org.bitwitness.protocol.tensor.TensorDigests;
import org.bitwitness.replayer.dispute.DataShelf;
import org.bitwitness.replayer.dispute.DisputeException;
import org.bitwitness.replayer.dispute.OperatorCase;

/**
 * Data of the disputed operator's inputs: {@code <tensorRoot>.f32} holds a tensor row-major and little-endian,
 * {@code <rowsRoot>.rows} a micro-batch as big-endian ids, then targets. The name says what the bytes must hash to.
 */
record FolderShelf(Path folder) implements DataShelf {
    /** What one array holds. */
    private static final long MAX_TENSOR_BYTES = Integer.MAX_VALUE - 8L;

    @Override
    public Optional<float[]> tensor(Sha256 root, int elements) throws DisputeException {
        Optional<ByteBuffer> bytes = bytes(tensorFile(root), (long) elements * Float.BYTES);
        if (bytes.isEmpty()) {
            return Optional.empty();
        }
        float[] values = new float[elements];
        bytes.get().order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().get(values);
        Sha256 found = TensorDigests.tensorRoot(values, 0, elements);
        if (!found.equals(root)) {
            throw new DisputeException(
                    "data/%s.f32 has root %s: it is not what the auditor owes".formatted(root, found));
        }
        return Optional.of(values);
    }

    @Override
    public Optional<MicroBatch> rows(Sha256 rowsRoot, BatchShape shape) throws DisputeException {
        int tokens = shape.tokens();
        Optional<ByteBuffer> bytes = bytes(rowsFile(rowsRoot), 2L * tokens * Integer.BYTES);
        if (bytes.isEmpty()) {
            return Optional.empty();
        }
        int[] ids = new int[tokens];
        int[] targets = new int[tokens];
        bytes.get().asIntBuffer().get(ids).get(targets);
        Sha256 found = MicroBatchRecord.rowsRoot(split(ids, shape), split(targets, shape));
        if (!found.equals(rowsRoot)) {
            throw new DisputeException(
                    "data/%s.rows has root %s: it is not what the auditor owes".formatted(rowsRoot, found));
        }
        return Optional.of(new MicroBatch(shape.sequences(), shape.length(), ids, targets));
    }

    /** Files of an operator's inputs. */
    static Set<String> names(OperatorCase operator) {
        Set<String> names = new TreeSet<>();
        operator.inputs().values().forEach(root -> names.add(tensorFile(root)));
        operator.rowsRoot().ifPresent(root -> names.add(rowsFile(root)));
        return names;
    }

    /**
     * Keeps a file that somebody delivers.
     *
     * @throws DisputeException if the disputed operator does not read it, or it is not what its name says
     */
    void take(OperatorCase operator, String name, byte[] bytes) throws DisputeException, IOException {
        if (operator.isHandOver() || !names(operator).contains(name)) {
            throw new DisputeException("the disputed operator does not read " + name);
        }
        Path file = folder.resolve(name);
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        DisputeFolder.write(file, bytes);
        try {
            check(operator, name);
        } catch (DisputeException e) {
            Files.delete(file);
            throw e;
        }
    }

    private void check(OperatorCase operator, String name) throws DisputeException {
        Map<TensorSource, Integer> sizes = operator.sizes();
        for (Map.Entry<TensorSource, Sha256> input : operator.inputs().entrySet()) {
            if (name.equals(tensorFile(input.getValue()))) {
                tensor(input.getValue(), Objects.requireNonNull(sizes.get(input.getKey())));
            }
        }
        if (operator.rowsRoot().isPresent()
                && name.equals(rowsFile(operator.rowsRoot().get()))) {
            rows(operator.rowsRoot().get(), operator.batchShape());
        }
    }

    private static String tensorFile(Sha256 root) {
        return root.hex() + ".f32";
    }

    private static String rowsFile(Sha256 rowsRoot) {
        return rowsRoot.hex() + ".rows";
    }

    void put(float[] values) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(values.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        TensorDigests.putLittleEndian(values, 0, values.length, bytes);
        put(tensorFile(TensorDigests.tensorRoot(values, 0, values.length)), bytes.array());
    }

    void put(Sha256 rowsRoot, MicroBatch batch) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(2 * batch.tokens() * Integer.BYTES);
        bytes.asIntBuffer().put(batch.ids()).put(batch.targets());
        put(rowsFile(rowsRoot), bytes.array());
    }

    private void put(String name, byte[] bytes) throws IOException {
        Path file = folder.resolve(name);
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            DisputeFolder.write(file, bytes);
        }
    }

    private Optional<ByteBuffer> bytes(String name, long expected) throws DisputeException {
        Path file = folder.resolve(name);
        if (expected > MAX_TENSOR_BYTES) {
            throw new DisputeException(
                    "data/%s would have %d bytes; at most %d are read".formatted(name, expected, MAX_TENSOR_BYTES));
        }
        try {
            if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                return Optional.empty();
            }
            byte[] bytes = DisputeFolder.read(file, Math.toIntExact(expected));
            if (bytes.length != expected) {
                throw new DisputeException(
                        "data/%s should have %d bytes, has %d".formatted(name, expected, bytes.length));
            }
            return Optional.of(ByteBuffer.wrap(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int[][] split(int[] flat, BatchShape shape) {
        int[][] rows = new int[shape.sequences()][];
        for (int s = 0; s < rows.length; s++) {
            rows[s] = Arrays.copyOfRange(flat, s * shape.length(), (s + 1) * shape.length());
        }
        return rows;
    }
}
