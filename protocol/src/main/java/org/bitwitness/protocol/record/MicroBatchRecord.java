package org.bitwitness.protocol.record;

import java.util.Arrays;
import java.util.List;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.bytes.CanonicalDecoder;
import org.bitwitness.protocol.bytes.CanonicalEncoder;
import org.bitwitness.protocol.merkle.MerkleHasher;

/**
 * What one worker read in one micro-batch.
 *
 * <pre>microBatch = E(mb, sampleIds, rowsRoot)     rowsRoot = MTH(E(row, ids u32[], targets i32[]))</pre>
 *
 * @param sampleIds ids in the dataset, in the order of the rows
 * @param rowsRoot root over the rows' tokens and targets
 */
public record MicroBatchRecord(List<Long> sampleIds, Sha256 rowsRoot) {
    public static final int MAX_SAMPLES = 1 << 16;

    public MicroBatchRecord {
        sampleIds = List.copyOf(sampleIds);
        if (sampleIds.size() > MAX_SAMPLES || sampleIds.stream().anyMatch(id -> id < 0)) {
            throw new IllegalArgumentException(
                    "a micro-batch has at most %d samples, ids from 0".formatted(MAX_SAMPLES));
        }
    }

    /** Hashes the rows that the samples stand for; a target of −1 counts for nothing. */
    public static MicroBatchRecord of(List<Long> sampleIds, int[][] ids, int[][] targets) {
        if (ids.length != sampleIds.size() || targets.length != ids.length) {
            throw new IllegalArgumentException("%d samples need as many rows of ids and of targets, got %d and %d"
                    .formatted(sampleIds.size(), ids.length, targets.length));
        }
        return new MicroBatchRecord(sampleIds, rowsRoot(ids, targets));
    }

    /** Root over rows; shapes [rows][tokens]. */
    public static Sha256 rowsRoot(int[][] ids, int[][] targets) {
        MerkleHasher rows = new MerkleHasher();
        for (int i = 0; i < ids.length; i++) {
            rows.addLeaf(CanonicalEncoder.of("row")
                    .packed32(ids[i])
                    .packed32(targets[i])
                    .toBytes());
        }
        return rows.root();
    }

    public byte[] toBytes() {
        return CanonicalEncoder.of("mb")
                .u64List(sampleIds.stream().mapToLong(Long::longValue).toArray())
                .digest(rowsRoot)
                .toBytes();
    }

    public static MicroBatchRecord decode(byte[] encoded) throws ProtocolException {
        CanonicalDecoder in = CanonicalDecoder.open(encoded, "mb");
        long[] ids = in.u64List("sampleIds", MAX_SAMPLES);
        Sha256 root = in.digest("rowsRoot");
        return in.build(() -> new MicroBatchRecord(Arrays.stream(ids).boxed().toList(), root));
    }
}
