package org.bitwitness.replayer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.bytes.CanonicalEncoder;
import org.bitwitness.protocol.merkle.MerkleHasher;
import org.bitwitness.protocol.merkle.MerkleTree;
import org.bitwitness.protocol.random.Philox4x32;
import org.bitwitness.protocol.tensor.TensorDigests;

/**
 * Samples chunks of the tensors that pass through a replay and hashes them with the replay's salt: who did not have the
 * tensors cannot make the same root.
 *
 * <p>For each chunk of 16,384 bytes, word 0 of Philox decides: key = first 8 bytes of the salt (k0 the first four, k1
 * the next, big-endian), c0 = chunk, c1 = operator, c2 = worker&lt;&lt;16 | micro-batch, c3 = step&lt;&lt;8 | output. A
 * word below 2^26, unsigned, takes the chunk (one in 64). When an operator has none, its chunk with the smallest word is
 * taken, the first of equals.
 *
 * <pre>
 * leaf  = E(rp, salt, E(rp-address, step, worker, microBatch, operator, output, chunk), chunk bytes)
 * proof = MTH(leaves in the order of operators, outputs, chunks)
 * </pre>
 */
final class ProofBuilder {
    private static final int CHUNK_FLOATS = TensorDigests.CHUNK_BYTES / Float.BYTES;
    private static final long TAKE_BELOW = 1L << 26;

    /** Where a tensor comes from. Worker and micro-batch are positions in their lists. */
    record Address(long step, int worker, int microBatch, int operator) {
        Address {
            if (step < 0 || worker < 0 || worker > 0xFFFF || microBatch < 0 || microBatch > 0xFFFF || operator < 0) {
                throw new IllegalArgumentException(
                        "address out of range: step %d, worker %d, micro-batch %d, operator %d"
                                .formatted(step, worker, microBatch, operator));
            }
        }
    }

    /** A tensor cut into chunks. */
    private interface Chunks {
        int count();

        byte[] chunk(int index);

        /** Nobody asks for more of it now. */
        default void rest() {}
    }

    private record Pick(int output, int chunk) {}

    private final Sha256 salt;
    private final int key0;
    private final int key1;
    private MerkleHasher tree = new MerkleHasher();

    ProofBuilder(Sha256 salt) {
        this.salt = salt;
        this.key0 = (int) (salt.word0() >>> 32);
        this.key1 = (int) salt.word0();
    }

    /** Leaves that are taken beside others' and come after those only when {@link #end} says so. */
    final class Part {
        private final List<Sha256> leaves = new ArrayList<>();

        /** Samples the outputs of one operator, of which no more than one is read at a time. */
        void slots(Address from, List<HostState.Slot> outputs) {
            sample(from, chunks(outputs), leaves::add);
        }

        /** Adds the leaves to the proof. */
        void end() {
            leaves.forEach(tree::add);
            leaves.clear();
        }
    }

    /** Samples the tensors of a state, of which no more than one is read at a time. */
    void slots(Address from, List<HostState.Slot> slots) {
        sample(from, chunks(slots), tree::add);
    }

    private static List<Chunks> chunks(List<HostState.Slot> slots) {
        return slots.stream()
                .<Chunks>map(
                        slot -> new FloatChunks(Math.toIntExact(slot.shape().elementCount()), slot.data()))
                .toList();
    }

    /** Samples files or other plain bytes, each an output. */
    void contents(Address from, List<Contents> outputs) {
        sample(from, outputs.stream().<Chunks>map(ByteChunks::new).toList(), tree::add);
    }

    /** Goes on after the leaves that an earlier process took. */
    void resume(MerkleHasher kept) {
        tree = kept;
    }

    /** What {@link #resume} takes, with {@link #leaves}. */
    List<Sha256> peaks() {
        return tree.peaks();
    }

    Sha256 root() {
        return tree.root();
    }

    long leaves() {
        return tree.count();
    }

    private void sample(Address from, List<Chunks> outputs, Consumer<Sha256> leaves) {
        Pick smallest = new Pick(0, 0);
        long smallestWord = Long.MAX_VALUE;
        boolean taken = false;
        for (int output = 0; output < outputs.size(); output++) {
            Chunks chunks = outputs.get(output);
            for (int chunk = 0; chunk < chunks.count(); chunk++) {
                long word = word(from, output, chunk);
                if (word < TAKE_BELOW) {
                    leaves.accept(leaf(from, new Pick(output, chunk), chunks));
                    taken = true;
                } else if (word < smallestWord) {
                    smallestWord = word;
                    smallest = new Pick(output, chunk);
                }
            }
            chunks.rest();
        }
        if (!taken && !outputs.isEmpty()) {
            leaves.accept(leaf(from, smallest, outputs.get(smallest.output())));
        }
    }

    private long word(Address from, int output, int chunk) {
        int place = from.worker() << 16 | from.microBatch();
        int time = (int) (from.step() << 8) | output;
        int[] words = new int[4];
        Philox4x32.block(chunk, from.operator(), place, time, key0, key1, words);
        return words[0] & 0xFFFF_FFFFL;
    }

    private Sha256 leaf(Address from, Pick pick, Chunks chunks) {
        byte[] address = CanonicalEncoder.of("rp-address")
                .u64(from.step())
                .u64(from.worker())
                .u64(from.microBatch())
                .u64(from.operator())
                .u64(pick.output())
                .u64(pick.chunk())
                .toBytes();
        return MerkleTree.leafHash(CanonicalEncoder.of("rp")
                .digest(salt)
                .bytes(address)
                .bytes(chunks.chunk(pick.chunk()))
                .toBytes());
    }

    private static final class FloatChunks implements Chunks {
        private final int length;
        private final Supplier<float[]> source;
        private Optional<float[]> read = Optional.empty();

        FloatChunks(int length, Supplier<float[]> source) {
            this.length = length;
            this.source = source;
        }

        @Override
        public void rest() {
            read = Optional.empty();
        }

        @Override
        public int count() {
            return Math.ceilDiv(length, CHUNK_FLOATS);
        }

        @Override
        public byte[] chunk(int index) {
            float[] data = read.orElseGet(source);
            read = Optional.of(data);
            int from = index * CHUNK_FLOATS;
            int floats = Math.min(CHUNK_FLOATS, length - from);
            ByteBuffer out = ByteBuffer.allocate(floats * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
            TensorDigests.putLittleEndian(data, from, floats, out);
            return out.array();
        }
    }

    private static final class ByteChunks implements Chunks {
        private final Contents data;

        ByteChunks(Contents data) {
            this.data = data;
        }

        @Override
        public int count() {
            return Math.toIntExact(Math.ceilDiv(data.size(), (long) TensorDigests.CHUNK_BYTES));
        }

        @Override
        public byte[] chunk(int index) {
            long from = (long) index * TensorDigests.CHUNK_BYTES;
            return data.bytes(from, (int) Math.min(TensorDigests.CHUNK_BYTES, data.size() - from));
        }
    }
}
