package org.bitwitness.attestation.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.dsse.LogEntry;
import org.bitwitness.protocol.Sha256;

/**
 * Copies a log into a folder that any static host can serve. Tiles are derived again from verified entries, so the copy
 * is right even where the original's tiles were not read.
 */
public final class LogCopy {
    private static final int MAX_BATCH = 1024;
    private static final long MAX_BATCH_BYTES = 16 << 20;

    private LogCopy() {}

    /**
     * What was copied.
     *
     * @param missingPayloads indexes whose payload the original does not have
     */
    public record Report(long entries, Sha256 root, List<Long> missingPayloads) {
        public Report {
            missingPayloads = List.copyOf(missingPayloads);
        }
    }

    /**
     * Copies the log at the reader's checkpoint.
     *
     * @param target a folder that does not exist yet
     */
    public static Report copy(LogReader log, Path target) throws AttestationException {
        if (Files.exists(target)) {
            throw AttestationException.environment(target + " exists: choose a folder that does not");
        }
        FolderStore store = FolderStore.writable(target);
        Batches batches = new Batches(store);
        try {
            log.visit(0, batches);
            batches.write();
            store.write(LocalTileLog.CHECKPOINT, log.checkpoint().note().toBytes());
            store.settle();
            Files.delete(target.resolve(BatchJournal.FOLDER));
            Files.delete(target.resolve(FolderStore.WRITER).resolve("tmp"));
            Files.delete(target.resolve(FolderStore.WRITER));
        } catch (IOException e) {
            throw notWritten(target.toString(), e);
        }
        return new Report(log.size(), batches.tree.root(), batches.missing);
    }

    private static AttestationException notWritten(String target, IOException e) {
        return new AttestationException(AttestationException.Kind.ENVIRONMENT, "cannot write " + target + ": " + e, e);
    }

    /** Entries and payloads on their way to the disk, which is asked to sync once for many of them. */
    private static final class Batches implements LogReader.Visitor {
        private final FolderStore store;
        private final TreeEdge tree = new TreeEdge();
        private final List<Long> missing = new ArrayList<>();
        private final List<byte[]> leaves = new ArrayList<>();
        private final SequencedMap<String, byte[]> files = new LinkedHashMap<>();
        private long payloadBytes;

        Batches(FolderStore store) {
            this.store = store;
        }

        @Override
        public void entry(long index, LogEntry entry, Optional<byte[]> payload) throws AttestationException {
            leaves.add(entry.leaf());
            if (payload.isPresent()) {
                files.put(NewEntry.payloadPath(entry.payloadDigest().orElseThrow()), payload.get());
                payloadBytes += payload.get().length;
            } else {
                missing.add(index);
            }
            if (leaves.size() == MAX_BATCH || payloadBytes > MAX_BATCH_BYTES) {
                try {
                    write();
                } catch (IOException e) {
                    throw notWritten(store.place(), e);
                }
            }
        }

        void write() throws IOException {
            files.putAll(tree.append(leaves));
            store.writeAll(files);
            leaves.clear();
            files.clear();
            payloadBytes = 0;
        }
    }
}
