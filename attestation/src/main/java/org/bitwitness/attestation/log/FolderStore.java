package org.bitwitness.attestation.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.bitwitness.attestation.AttestationException;

/** A log in a folder of this machine. */
public final class FolderStore implements LogStore {
    /** The writer's own folder; a leading dot keeps static hosts from serving it. */
    static final String WRITER = ".writer";

    private static final String TEMPORARY = WRITER + "/tmp";

    private static final int SYNC_THREADS = 8;

    /** Above this the files are synced in their places; a restart reads at most about this much again. */
    private static final long MAX_JOURNAL_BYTES = 64 << 20;

    private final Path root;
    private final BatchJournal journal;
    private final SequencedSet<Path> unsynced = new LinkedHashSet<>();
    private final SequencedSet<Path> unsyncedFolders = new LinkedHashSet<>();

    private FolderStore(Path root) {
        this.root = root;
        this.journal = new BatchJournal(root);
    }

    /** For reading; the folder must exist. */
    public static FolderStore existing(Path root) throws AttestationException {
        if (!Files.isDirectory(root)) {
            throw AttestationException.environment(root + " is not a folder: name the folder that holds the log");
        }
        return new FolderStore(root);
    }

    /** For writing; the folder is made if needed, and temporary files that a crash left are removed. */
    static FolderStore writable(Path root) throws AttestationException {
        try {
            Path temporary = root.resolve(TEMPORARY);
            Files.createDirectories(temporary);
            Files.createDirectories(root.resolve(BatchJournal.FOLDER));
            try (Stream<Path> leftovers = Files.list(temporary)) {
                for (Path leftover : leftovers.toList()) {
                    Files.delete(leftover);
                }
            }
            return new FolderStore(root);
        } catch (IOException e) {
            throw new AttestationException(
                    AttestationException.Kind.ENVIRONMENT, "cannot write a log into " + root + ": " + e, e);
        }
    }

    @Override
    public String place() {
        return root.toString();
    }

    @Override
    public Optional<byte[]> read(String path, int maxBytes) throws AttestationException {
        Path file = root.resolve(path);
        try {
            if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                return Optional.empty();
            }
            if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                throw AttestationException.refused(file + " should be a plain file, is something else");
            }
            long bytes = Files.size(file);
            if (bytes > maxBytes) {
                throw AttestationException.refused(
                        "%s should have at most %d bytes, has %d".formatted(file, maxBytes, bytes));
            }
            return Optional.of(Files.readAllBytes(file));
        } catch (NoSuchFileException replacedMeanwhile) {
            return Optional.empty();
        } catch (IOException e) {
            throw new AttestationException(AttestationException.Kind.ENVIRONMENT, "cannot read " + file + ": " + e, e);
        }
    }

    /** Written and synced under a temporary name, renamed, then the folder is synced. */
    @Override
    public void write(String path, byte[] bytes) throws IOException {
        Path target = root.resolve(path);
        makeFolder(parent(target), unsyncedFolders);
        Files.move(
                writeSynced(root.resolve(TEMPORARY).resolve("0.tmp"), bytes), target, StandardCopyOption.ATOMIC_MOVE);
        sync(parent(target));
    }

    /**
     * One sync for all of them: the batch goes to the journal, then the files to their places. There they are synced
     * when the journal has grown large, or by {@link #settle}.
     */
    @Override
    public void writeAll(SequencedMap<String, byte[]> files) throws IOException {
        if (files.isEmpty()) {
            return;
        }
        journal.append(files);
        place(files);
        if (journal.bytes() > MAX_JOURNAL_BYTES) {
            settle();
        }
    }

    /** Puts every batch of the journal in its place again: after a power cut some files may be torn or absent. */
    @Override
    public void recover() throws IOException {
        for (SequencedMap<String, byte[]> batch : journal.read()) {
            place(batch);
        }
        settle();
    }

    /** Syncs every file in its place, then drops the journal. */
    void settle() throws IOException {
        syncAll(unsynced);
        for (Path folder : unsyncedFolders) {
            sync(folder);
        }
        journal.clear();
        unsynced.clear();
        unsyncedFolders.clear();
    }

    private void place(SequencedMap<String, byte[]> files) throws IOException {
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            Path target = root.resolve(file.getKey());
            makeFolder(parent(target), unsyncedFolders);
            if (file.getKey().startsWith(WRITER)) {
                Path temporary = root.resolve(TEMPORARY).resolve("placed.tmp");
                Files.write(temporary, file.getValue());
                Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
            } else {
                // No published checkpoint refers to it yet, so nobody reads it half-written.
                Files.write(target, file.getValue());
            }
            unsynced.add(target);
            unsyncedFolders.add(parent(target));
        }
    }

    @Override
    public boolean exists(String path) {
        return Files.exists(root.resolve(path), LinkOption.NOFOLLOW_LINKS);
    }

    @Override
    public void delete(String path) throws IOException {
        Files.deleteIfExists(root.resolve(path));
    }

    @Override
    public List<String> names(String folder) throws IOException {
        Path path = root.resolve(folder);
        if (!Files.isDirectory(path)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(path)) {
            return files.filter(Files::isRegularFile)
                    .map(f -> String.valueOf(f.getFileName()))
                    .sorted()
                    .toList();
        }
    }

    /** A new folder is durable only when its parent is synced. */
    private static void makeFolder(Path folder, SequencedSet<Path> changedFolders) throws IOException {
        if (!Files.isDirectory(folder)) {
            makeFolder(parent(folder), changedFolders);
            Files.createDirectories(folder);
            changedFolders.add(parent(folder));
        }
    }

    /** Several at once: the disk syncs together what arrives together. Files deleted meanwhile need no sync. */
    private static void syncAll(Collection<Path> files) throws IOException {
        List<Future<?>> syncs = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(Math.clamp(files.size(), 1, SYNC_THREADS))) {
            for (Path file : files) {
                Callable<Path> sync = () -> syncFile(file);
                syncs.add(threads.submit(sync));
            }
        }
        for (Future<?> sync : syncs) {
            try {
                sync.get();
            } catch (ExecutionException e) {
                throw e.getCause() instanceof IOException io ? io : new IOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
        }
    }

    private static Path syncFile(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.force(true);
        } catch (NoSuchFileException deletedSince) {
            return file;
        }
        return file;
    }

    private static Path writeSynced(Path file, byte[] bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
            channel.force(true);
            return file;
        }
    }

    static void sync(Path folder) throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    private static Path parent(Path path) {
        Path parent = path.toAbsolutePath().getParent();
        if (parent == null) {
            throw new IllegalArgumentException("a file of a log has a folder, got " + path);
        }
        return parent;
    }
}
