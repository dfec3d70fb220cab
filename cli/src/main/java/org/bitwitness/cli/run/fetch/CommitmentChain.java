package org.bitwitness.cli.run.fetch;

import java.io.IOException;
import java.io.InputStream;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.protocol.CommitmentDigest;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.format.RecordingPaths;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.protocol.record.FileEntry;

/**
 * The commitments of a recording, read from OPEN until there is no further one; they form a chain or are refused.
 *
 * @param commitments how many there are
 * @param endStep steps that the last one covers
 * @param listed every file that they list
 */
public record CommitmentChain(RunId runId, long commitments, long endStep, Map<RecordingPath, FileEntry> listed) {
    private static final int MAX_CHAIN_FILE_BYTES = 1 << 28;
    private static final int MAX_COMMITMENTS = 1 << 20;
    private static final int MAX_LISTED_FILES = 1 << 22;

    public CommitmentChain {
        listed = Collections.unmodifiableMap(new TreeMap<>(listed));
    }

    /** Takes the bytes of a file that no commitment lists: a commitment's own, and the bundle of the last one. */
    @FunctionalInterface
    public interface Sink {
        void take(RecordingPath path, byte[] bytes) throws IOException, ProtocolException, CommandFailure;
    }

    public static CommitmentChain read(RecordingSource source, Sink sink)
            throws CommandFailure, IOException, ProtocolException {
        Map<RecordingPath, FileEntry> listed = new TreeMap<>();
        Optional<Commitment> last = Optional.empty();
        long sequence = 0;
        for (; source.exists(RecordingPaths.commitment(sequence)); sequence++) {
            byte[] bytes = small(source, RecordingPaths.commitment(sequence));
            Commitment commitment = Commitment.decode(bytes);
            requireNext(last, commitment);
            last = Optional.of(commitment);
            if (sequence == MAX_COMMITMENTS
                    || listed.size() > MAX_LISTED_FILES - commitment.newFiles().size()) {
                throw CommandFailure.refused(
                        "%s goes on after %d commitments and %d files, which are the most that are copied"
                                .formatted(source.describe(), sequence, listed.size()));
            }
            commitment.newFiles().forEach(file -> listed.put(file.path(), file));
            sink.take(RecordingPaths.commitment(sequence), bytes);
        }
        if (last.isEmpty()) {
            throw CommandFailure.usage(
                    source.describe() + " is not a recording: it has no " + RecordingPaths.commitment(0));
        }
        RecordingPath bundle = RecordingPaths.commitmentBundle(sequence - 1);
        if (source.exists(bundle)) {
            sink.take(bundle, small(source, bundle));
        }
        return new CommitmentChain(last.get().runId(), sequence, last.get().endStep(), listed);
    }

    /** A source that goes on for ever has to invent a chain that is right, and even that ends. */
    private static void requireNext(Optional<Commitment> last, Commitment next) throws CommandFailure {
        long sequence = last.map(before -> before.sequence() + 1).orElse(0L);
        if (next.sequence() != sequence
                || !next.previousDigest().equals(last.map(Commitment::digest))
                || !last.map(Commitment::runId).orElse(next.runId()).equals(next.runId())) {
            throw CommandFailure.refused("%s: should be commitment %d after %s, is commitment %d after %s"
                    .formatted(
                            RecordingPaths.commitment(sequence),
                            sequence,
                            last.map(before -> before.digest().hex()).orElse("none"),
                            next.sequence(),
                            next.previousDigest().map(CommitmentDigest::hex).orElse("none")));
        }
    }

    private static byte[] small(RecordingSource source, RecordingPath path) throws IOException, CommandFailure {
        try (InputStream in = source.open(path, 0)) {
            byte[] bytes = in.readNBytes(MAX_CHAIN_FILE_BYTES + 1);
            if (bytes.length > MAX_CHAIN_FILE_BYTES) {
                throw CommandFailure.refused("%s has over %d bytes".formatted(path, MAX_CHAIN_FILE_BYTES));
            }
            return bytes;
        }
    }
}
