package org.bitwitness.attestation.log;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Files and folders that were written and not synced yet. */
final class Unsynced {
    /** The disk syncs together what arrives together: thousands of small files cost a few hundred syncs. */
    private static final int THREADS = 32;

    private final SequencedSet<Path> files = new LinkedHashSet<>();
    private final SequencedSet<Path> folders = new LinkedHashSet<>();

    void addFile(Path file) {
        files.add(file);
    }

    /** A folder in which something was made or renamed. */
    void addFolder(Path folder) {
        folders.add(folder);
    }

    /** Makes everything durable, files before the folders that name them. A file that was deleted since needs no sync. */
    void sync() throws IOException {
        List<Future<Path>> syncs = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(Math.clamp(files.size(), 1, THREADS))) {
            for (Path file : files) {
                Callable<Path> sync = () -> sync(file);
                syncs.add(threads.submit(sync));
            }
        }
        for (Future<Path> sync : syncs) {
            get(sync);
        }
        for (Path folder : folders) {
            FolderStore.sync(folder);
        }
    }

    /** The result of a task that throws nothing but what the disk does. */
    static <T> T get(Future<T> task) throws IOException {
        try {
            return task.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private static Path sync(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.force(true);
        } catch (NoSuchFileException deletedSince) {
            return file;
        }
        return file;
    }
}
