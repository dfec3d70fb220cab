package org.bitwitness.cli.store.objects;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.bitwitness.cli.run.fetch.CommitmentChain;
import org.bitwitness.cli.run.fetch.Fetch;
import org.bitwitness.cli.run.fetch.RecordingSource;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.format.RecordingPaths;
import org.bitwitness.protocol.record.FileEntry;

/**
 * Copies what the commitments of a recording list into a store, each file that is not there yet, and the run's manifest
 * last. Given again after it was cut off it goes on with the files that are missing.
 */
public final class AddRun {
    private static final int MAX_TRIES = 5;

    private final ObjectStore store;
    private final Fetch.Pause pause;
    private final Consumer<String> note;
    private long newBytes;
    private int newObjects;

    /** What was done. {@code newBytes} is what the store grew by, without its manifest. */
    public record Result(RunId runId, long steps, int files, long bytes, int newObjects, long newBytes) {}

    public AddRun(ObjectStore store, Fetch.Pause pause, Consumer<String> note) {
        this.store = store;
        this.pause = pause;
        this.note = note;
    }

    /** @param reread also reads objects that are there, and replaces those that are not what their names say */
    public Result run(RecordingSource source, boolean reread) throws CommandFailure, IOException, ProtocolException {
        try (StoreFiles.Lock lock = store.files().lock(false)) {
            List<FileEntry> files = new ArrayList<>();
            CommitmentChain chain = CommitmentChain.read(source, (path, bytes) -> {
                FileEntry entry = new FileEntry(path, bytes.length, Hashing.sha256(bytes));
                if (isNeeded(entry, reread, lock)) {
                    put(entry, out -> out.write(bytes));
                }
                files.add(entry);
            });
            for (FileEntry file : chain.listed().values()) {
                if (isNeeded(file, reread, lock)) {
                    put(file, out -> transfer(source, file, out, lock));
                }
                files.add(file);
            }
            requireOneContent(files);
            RunManifest manifest =
                    CommandFailure.typed(() -> RunManifest.of(chain.runId(), chain.commitments(), files));
            requireOneHistory(manifest);
            lock.keep();
            store.put(manifest);
            return new Result(
                    chain.runId(), chain.endStep(), manifest.files().size(), manifest.bytes(), newObjects, newBytes);
        }
    }

    /** A commitment may list an earlier one, but not with other bytes than those it was read with. */
    private static void requireOneContent(List<FileEntry> files) throws ProtocolException {
        Map<RecordingPath, FileEntry> seen = new TreeMap<>();
        for (FileEntry file : files) {
            FileEntry other = seen.putIfAbsent(file.path(), file);
            if (other != null && !other.equals(file)) {
                throw ProtocolException.unequal(
                        "%s: %d bytes with SHA-256 %s, but a commitment lists it with %d bytes and SHA-256 %s",
                        file.path(), other.bytes(), other.sha256(), file.bytes(), file.sha256());
            }
        }
    }

    /** Two histories under one name are a trainer's fault, and evidence: neither may hide the other. */
    private void requireOneHistory(RunManifest manifest) throws CommandFailure, IOException, ProtocolException {
        Map<RecordingPath, FileEntry> files = manifest.byPath();
        for (RunManifest.Name name : store.named(manifest.runId().hex())) {
            Map<RecordingPath, FileEntry> there = store.manifest(name).byPath();
            for (long sequence = 0; sequence < Math.min(name.commitments(), manifest.commitments()); sequence++) {
                RecordingPath path = RecordingPaths.commitment(sequence);
                if (!Objects.equals(there.get(path), files.get(path))) {
                    throw CommandFailure.refused(("%s: the store has another commitment %d of run %s. These are two"
                                    + " histories of one run: keep both, this one in a store of its own")
                            .formatted(path, sequence, manifest.runId()));
                }
            }
        }
    }

    /**
     * What is there under that name stays until the right bytes are whole: the recording may only say that it should have
     * another size.
     */
    private void put(FileEntry file, StoreFiles.Body body) throws IOException, ProtocolException {
        store.files().put(ObjectStore.object(file.sha256()), body);
        newObjects++;
        newBytes += file.bytes();
    }

    private boolean isNeeded(FileEntry file, boolean reread, StoreFiles.Lock lock) throws IOException {
        lock.keep();
        return reread
                ? !store.isWhole(file.sha256(), file.bytes(), lock)
                : store.files().size(ObjectStore.object(file.sha256())).orElse(-1) != file.bytes();
    }

    /** Goes on where a source broke off, and refuses bytes that are not those that are committed. */
    private void transfer(RecordingSource source, FileEntry file, OutputStream out, StoreFiles.Lock lock)
            throws IOException, ProtocolException {
        MessageDigest digest = Hashing.newDigest();
        Counted counted = new Counted(out);
        for (int attempt = 1; ; attempt++) {
            try (InputStream in = source.open(file.path(), counted.bytes)) {
                ObjectStore.copy(in, digest, counted, file.bytes() + 1 - counted.bytes, lock);
                break;
            } catch (IOException e) {
                if (counted.failed || attempt == MAX_TRIES) {
                    throw new IOException(
                            "%s: gave up at byte %d of %d: %s; the same command goes on from this file"
                                    .formatted(file.path(), counted.bytes, file.bytes(), e.getMessage()),
                            e);
                }
                note.accept("%s: %s; trying again".formatted(file.path(), e.getMessage()));
                pause(attempt + 1);
            }
        }
        Sha256 found = Hashing.finish(digest);
        if (counted.bytes != file.bytes() || !found.equals(file.sha256())) {
            throw ProtocolException.unequal(
                    "%s: should have %d bytes with SHA-256 %s, which is committed; %s has %s with SHA-256 %s",
                    file.path(),
                    file.bytes(),
                    file.sha256(),
                    source.describe(),
                    counted.bytes > file.bytes() ? "more" : counted.bytes,
                    found);
        }
    }

    private void pause(int nextTry) throws IOException {
        try {
            pause.before(nextTry);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Knows how much arrived, and whose fault a failure was: a store that cannot write is not asked again. */
    private static final class Counted extends OutputStream {
        private final OutputStream out;
        private long bytes;
        private boolean failed;

        Counted(OutputStream out) {
            this.out = out;
        }

        @Override
        public void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] from, int offset, int length) throws IOException {
            failed = true;
            out.write(from, offset, length);
            failed = false;
            bytes += length;
        }
    }
}
