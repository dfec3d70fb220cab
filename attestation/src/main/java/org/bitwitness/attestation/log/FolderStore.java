package org.bitwitness.attestation.log;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.bitwitness.attestation.AttestationException;

/** A log in a folder of this machine. */
public final class FolderStore implements LogStore {
    /** The writer's own folder; a leading dot keeps static hosts from serving it. */
    static final String WRITER = ".writer";

    private static final String TEMPORARY = WRITER + "/tmp";

    /** Above this a journal file is dropped as soon as its files are synced; a restart reads two such files at most. */
    static final long MAX_JOURNAL_BYTES = 32 << 20;

    private final Path root;
    private final long maxJournalBytes;
    private final BatchJournal journal;
    private final Set<Path> folders = new HashSet<>();
    private final Map<String, byte[]> writersOwn = new HashMap<>();
    private Unsynced unsynced = new Unsynced();
    private Optional<FutureTask<Long>> settling = Optional.empty();

    private FolderStore(Path root, long maxJournalBytes) {
        this.root = root;
        this.maxJournalBytes = maxJournalBytes;
        this.journal = new BatchJournal(root);
    }

    /** For reading; the folder must exist. */
    public static FolderStore existing(Path root) throws AttestationException {
        if (!Files.isDirectory(root)) {
            throw AttestationException.environment(root + " is not a folder: name the folder that holds the log");
        }
        return new FolderStore(root, MAX_JOURNAL_BYTES);
    }

    /** For writing; the folder is made if needed, and temporary files that a crash left are removed. */
    static FolderStore writable(Path root) throws AttestationException {
        return writable(root, MAX_JOURNAL_BYTES);
    }

    static FolderStore writable(Path root, long maxJournalBytes) throws AttestationException {
        try {
            Path temporary = root.resolve(TEMPORARY);
            Files.createDirectories(temporary);
            Files.createDirectories(root.resolve(BatchJournal.FOLDER));
            try (Stream<Path> leftovers = Files.list(temporary)) {
                for (Path leftover : leftovers.toList()) {
                    Files.delete(leftover);
                }
            }
            return new FolderStore(root, maxJournalBytes);
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

    @Override
    public void write(String path, byte[] bytes) throws IOException {
        SequencedMap<String, byte[]> file = new LinkedHashMap<>();
        file.put(path, bytes);
        writeAll(file);
    }

    /**
     * One sync for all of them: the batch goes to the journal, then the files to their places. There they are synced
     * beside the batches that follow, once the journal has grown, or by {@link #settle}.
     */
    @Override
    public void writeAll(SequencedMap<String, byte[]> files) throws IOException {
        if (files.isEmpty()) {
            return;
        }
        journal.append(files);
        place(files);
        if (journal.bytes() > maxJournalBytes) {
            awaitSettling();
            placeWritersOwn();
            long upTo = journal.rotate();
            Unsynced placed = unsynced;
            unsynced = new Unsynced();
            FutureTask<Long> task = new FutureTask<>(() -> {
                placed.sync();
                journal.drop(upTo);
                return upTo;
            });
            settling = Optional.of(task);
            Thread.ofPlatform().daemon().name("log-settler").start(task);
        }
    }

    /**
     * Waits for the syncs in progress. After a failed sync a second one may claim success, so then only {@link #recover}
     * helps, which writes every file again: the journal is still there.
     */
    void awaitSettling() throws IOException {
        if (settling.isPresent()) {
            FutureTask<Long> task = settling.get();
            settling = Optional.empty();
            Unsynced.get(task);
        }
    }

    /** Puts every batch of the journal in its place again: after a power cut some files may be torn or absent. */
    @Override
    public void recover() throws IOException {
        try {
            awaitSettling();
        } catch (IOException journalIsStillThere) {
            System.getLogger(FolderStore.class.getName())
                    .log(System.Logger.Level.WARNING, "writing the journal''s files again: {0}", journalIsStillThere);
        }
        for (SequencedMap<String, byte[]> batch : journal.read()) {
            place(batch);
        }
        settle();
    }

    /** Syncs every file in its place, then drops the journal. */
    @Override
    public void settle() throws IOException {
        awaitSettling();
        placeWritersOwn();
        unsynced.sync();
        journal.drop(journal.rotate());
        unsynced = new Unsynced();
    }

    private void place(SequencedMap<String, byte[]> files) throws IOException {
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            if (file.getKey().startsWith(WRITER)) {
                // Nobody else reads it, and whoever opens the log finds it in the journal.
                writersOwn.put(file.getKey(), file.getValue());
            } else {
                place(file.getKey(), file.getValue());
            }
        }
    }

    private void placeWritersOwn() throws IOException {
        for (Map.Entry<String, byte[]> file : writersOwn.entrySet()) {
            place(file.getKey(), file.getValue());
        }
        writersOwn.clear();
    }

    private void place(String path, byte[] bytes) throws IOException {
        Path target = root.resolve(path);
        Path folder = parent(target);
        if (folders.add(folder)) {
            makeFolder(folder);
        }
        if (path.startsWith(WRITER) || path.equals(LocalTileLog.CHECKPOINT)) {
            Path temporary = root.resolve(TEMPORARY).resolve("placed.tmp");
            Files.write(temporary, bytes);
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
        } else {
            // No published checkpoint refers to it yet, so nobody reads it half-written.
            Files.write(target, bytes);
        }
        unsynced.addFile(target);
        unsynced.addFolder(folder);
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
    private void makeFolder(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            makeFolder(parent(folder));
            Files.createDirectories(folder);
            unsynced.addFolder(parent(folder));
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
