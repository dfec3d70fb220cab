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
        TreeEdge tree = new TreeEdge();
        List<byte[]> batch = new ArrayList<>();
        List<Long> missing = new ArrayList<>();
        try {
            for (long index = 0; index < log.size(); index++) {
                byte[] leaf = log.leaf(index);
                batch.add(leaf);
                copyPayload(log, index, leaf, store, missing);
                if (batch.size() == TilePath.FULL) {
                    store.writeAll(tree.append(batch));
                    batch.clear();
                }
            }
            if (!batch.isEmpty()) {
                store.writeAll(tree.append(batch));
            }
            store.write(LocalTileLog.CHECKPOINT, log.checkpoint().note().toBytes());
            store.settle();
            Files.delete(target.resolve(BatchJournal.FOLDER));
            Files.delete(target.resolve(FolderStore.WRITER).resolve("tmp"));
            Files.delete(target.resolve(FolderStore.WRITER));
        } catch (IOException e) {
            throw new AttestationException(
                    AttestationException.Kind.ENVIRONMENT, "cannot write " + target + ": " + e, e);
        }
        return new Report(log.size(), tree.root(), missing);
    }

    private static void copyPayload(LogReader log, long index, byte[] leaf, FolderStore store, List<Long> missing)
            throws AttestationException, IOException {
        Optional<Sha256> digest = LogEntry.parse(leaf).payloadDigest();
        Optional<byte[]> payload = digest.isPresent() ? log.payload(digest.get()) : Optional.empty();
        if (payload.isEmpty()) {
            missing.add(index);
            return;
        }
        SequencedMap<String, byte[]> file = new LinkedHashMap<>();
        file.put(NewEntry.payloadPath(digest.orElseThrow()), payload.get());
        store.writeAll(file);
    }
}
