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
import java.util.LinkedHashMap;
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

    private final Path root;

    private FolderStore(Path root) {
        this.root = root;
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

    Path folder() {
        return root;
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
        SequencedMap<String, byte[]> one = new LinkedHashMap<>();
        one.put(path, bytes);
        writeAll(one);
    }

    /** All files are written and synced under temporary names, renamed in order, then their folders are synced. */
    @Override
    public void writeAll(SequencedMap<String, byte[]> files) throws IOException {
        List<Path> temporaries = writeTemporaries(List.copyOf(files.values()));
        SequencedSet<Path> changedFolders = new LinkedHashSet<>();
        int next = 0;
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            Path target = root.resolve(file.getKey());
            makeFolder(parent(target), changedFolders);
            Files.move(temporaries.get(next++), target, StandardCopyOption.ATOMIC_MOVE);
            changedFolders.add(parent(target));
        }
        for (Path folder : changedFolders) {
            sync(folder);
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

    /** Several at once: the disk syncs together what arrives together. */
    private List<Path> writeTemporaries(List<byte[]> contents) throws IOException {
        List<Path> temporaries = new ArrayList<>();
        List<Future<?>> writes = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(Math.clamp(contents.size(), 1, SYNC_THREADS))) {
            for (byte[] bytes : contents) {
                Path temporary = root.resolve(TEMPORARY).resolve(temporaries.size() + ".tmp");
                temporaries.add(temporary);
                Callable<Path> write = () -> writeSynced(temporary, bytes);
                writes.add(threads.submit(write));
            }
        }
        for (Future<?> write : writes) {
            try {
                write.get();
            } catch (ExecutionException e) {
                throw e.getCause() instanceof IOException io ? io : new IOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
        }
        return temporaries;
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

    private static void sync(Path folder) throws IOException {
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
