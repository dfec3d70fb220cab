package org.bitwitness.protocol.tensor;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.bytes.CanonicalEncoder;
import org.bitwitness.protocol.merkle.MerkleHasher;
import org.bitwitness.protocol.merkle.MerkleTree;

/**
 * How tensors are hashed.
 *
 * <pre>
 * tensorRoot  = MTH(chunks of 16,384 bytes: row-major little-endian data, last chunk short, no padding)
 * tensorLeaf  = E(tensor, name, dtype, shape, byteCount, tensorRoot)
 * tensorsRoot = H(tensors, count, MTH(tensorLeaf by UTF-8 name, names unique))
 * </pre>
 *
 * A NaN of any payload hashes as 7fc00000, because hardware differs in the payloads it makes. Empty tensors are refused.
 */
public final class TensorDigests {
    public static final int CHUNK_BYTES = 16_384;

    private static final int CHUNK_FLOATS = CHUNK_BYTES / Float.BYTES;
    private static final byte LEAF_PREFIX = 0x00;
    private static final int CANONICAL_NAN = 0x7FC00000;
    private static final int INFINITY = 0x7F800000;

    private TensorDigests() {}

    /** A float32 tensor to hash: {@code length} floats of {@code data} from {@code offset}. */
    @SuppressWarnings("ArrayRecordComponent") // a view for one call; nobody compares it
    public record F32Tensor(String name, Shape shape, float[] data, int offset, int length) {
        public F32Tensor {
            if (shape.elementCount() != length || offset < 0 || length > data.length - offset) {
                throw new IllegalArgumentException("tensor %s of shape %s does not match %d floats at %d of %d"
                        .formatted(name, shape, length, offset, data.length));
            }
        }

        public static F32Tensor of(String name, Shape shape, float[] data) {
            return new F32Tensor(name, shape, data, 0, data.length);
        }

        /** {@code tensorLeaf} of this tensor. */
        public byte[] leaf() {
            return tensorLeaf(
                    new TensorId(name, DType.F32, shape),
                    (long) length * Float.BYTES,
                    tensorRoot(data, offset, length));
        }
    }

    /** What a tensor leaf says beside the data. */
    public record TensorId(String name, DType dtype, Shape shape) {}

    /** Root over {@code length} floats from {@code offset}. */
    public static Sha256 tensorRoot(float[] data, int offset, int length) {
        if (length == 0) {
            throw new IllegalArgumentException("an empty tensor has no root");
        }
        ChunkHasher chunks = new ChunkHasher();
        ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int done = 0; done < length; done += CHUNK_FLOATS) {
            int floats = Math.min(CHUNK_FLOATS, length - done);
            chunk.clear();
            putLittleEndian(data, offset + done, floats, chunk);
            chunks.add(chunk.flip());
        }
        return chunks.root();
    }

    /**
     * Appends floats to a little-endian buffer as files and hashes hold them: raw bits, every NaN as 7fc00000.
     *
     * @param into order must be little-endian; its position moves on
     */
    public static void putLittleEndian(float[] data, int offset, int length, ByteBuffer into) {
        int start = into.position();
        into.asFloatBuffer().put(0, data, offset, length);
        if (hasNaN(data, offset, length)) {
            for (int i = 0; i < length; i++) {
                if (Float.isNaN(data[offset + i])) {
                    into.putInt(start + i * Float.BYTES, CANONICAL_NAN);
                }
            }
        }
        into.position(start + length * Float.BYTES);
    }

    /** Root of a tensor whose chunks arrive one by one; all but the last have {@value #CHUNK_BYTES} bytes. */
    public static final class ChunkHasher {
        private final MessageDigest digest = Hashing.newDigest();
        private final MerkleHasher tree = new MerkleHasher();

        /** Takes the rest of the buffer as the next chunk. */
        public ChunkHasher add(ByteBuffer chunk) {
            digest.update(LEAF_PREFIX);
            digest.update(chunk);
            tree.add(Hashing.finish(digest));
            return this;
        }

        public Sha256 root() {
            return tree.root();
        }
    }

    public static byte[] tensorLeaf(TensorId id, long byteCount, Sha256 tensorRoot) {
        return CanonicalEncoder.of("tensor")
                .text(id.name())
                .text(id.dtype().name())
                .u64List(id.shape().toArray())
                .u64(byteCount)
                .digest(tensorRoot)
                .toBytes();
    }

    /** Root over leaves; the map may come in any order, names are unique by being keys. */
    public static Sha256 tensorsRoot(Map<String, byte[]> leafByName) {
        List<String> names =
                leafByName.keySet().stream().sorted(Utf8Order.COMPARATOR).toList();
        MerkleHasher tree = new MerkleHasher();
        for (String name : names) {
            byte[] leaf = leafByName.get(name);
            if (leaf == null) {
                throw new IllegalStateException("no leaf for " + name);
            }
            tree.add(MerkleTree.leafHash(leaf));
        }
        return CanonicalEncoder.of("tensors")
                .u64(names.size())
                .digest(tree.root())
                .hash();
    }

    /** Root over float32 tensors, each hashed as a task of its own. The result does not depend on the executor. */
    public static Sha256 tensorsRoot(List<F32Tensor> tensors, Executor executor) {
        return tensorsRoot(leaves(tensors, executor));
    }

    /** The leaf of every tensor, by name, each hashed as a task of its own. */
    public static Map<String, byte[]> leaves(List<F32Tensor> tensors, Executor executor) {
        List<CompletableFuture<byte[]>> tasks = tensors.stream()
                .map(tensor -> CompletableFuture.supplyAsync(tensor::leaf, executor))
                .toList();
        Map<String, byte[]> leaves = new LinkedHashMap<>();
        try {
            for (int i = 0; i < tasks.size(); i++) {
                String name = tensors.get(i).name();
                if (leaves.put(name, tasks.get(i).join()) != null) {
                    throw new IllegalArgumentException("two tensors are named " + name);
                }
            }
        } catch (CompletionException e) {
            throw e.getCause() instanceof IllegalArgumentException refused ? refused : e;
        }
        return leaves;
    }

    /** Looks for a magnitude over infinity's by the sign of a difference: an OR that the compiler turns into vector code. */
    private static boolean hasNaN(float[] data, int offset, int length) {
        int signs = 0;
        for (int i = offset; i < offset + length; i++) {
            signs |= INFINITY - (Float.floatToRawIntBits(data[i]) & 0x7FFFFFFF);
        }
        return signs < 0;
    }
}
