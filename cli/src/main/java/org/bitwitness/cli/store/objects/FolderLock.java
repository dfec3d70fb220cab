package org.bitwitness.cli.store.objects;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import org.bitwitness.protocol.ProtocolException;

/**
 * A lock of the operating system, which drops it when its process dies, however it dies. It belongs to the process, and
 * ends when any descriptor of the file is closed in it; so this process opens the file once and counts who shares it.
 */
final class FolderLock implements StoreFiles.Lock {
    private static final Map<Path, Held> HELD = new HashMap<>();

    private record Held(FileChannel channel, FileLock lock, int holders) {}

    private final Path file;
    private boolean open = true;

    private FolderLock(Path file) {
        this.file = file;
    }

    static FolderLock take(Path lockFile, boolean exclusive) throws IOException, ProtocolException {
        Path folder = lockFile.toAbsolutePath().getParent();
        Path file = folder == null ? lockFile : folder.toRealPath().resolve(lockFile.getFileName());
        synchronized (HELD) {
            Held held = HELD.get(file);
            if (held != null && (exclusive || !held.lock().isShared())) {
                throw taken(file, exclusive);
            }
            HELD.put(
                    file,
                    held == null ? lock(file, exclusive) : new Held(held.channel(), held.lock(), held.holders() + 1));
        }
        return new FolderLock(file);
    }

    private static Held lock(Path file, boolean exclusive) throws IOException, ProtocolException {
        FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        FileLock lock = null;
        try {
            lock = channel.tryLock(0, Long.MAX_VALUE, !exclusive);
        } finally {
            if (lock == null) {
                channel.close();
            }
        }
        if (lock == null) {
            throw taken(file, exclusive);
        }
        return new Held(channel, lock, 1);
    }

    private static ProtocolException taken(Path file, boolean exclusive) {
        return new ProtocolException(
                ProtocolException.Kind.ENVIRONMENT,
                "%s: %s; wait until it is done, then give the same command again"
                        .formatted(
                                file,
                                exclusive
                                        ? "something is being added, removed or collected there"
                                        : "unused files are being collected there"));
    }

    /** The operating system keeps it. */
    @Override
    public void keep() {
        if (!open) {
            throw new IllegalStateException(file + " was let go");
        }
    }

    @Override
    public void close() throws IOException {
        if (!open) {
            return;
        }
        open = false;
        synchronized (HELD) {
            Held held = HELD.remove(file);
            if (held == null) {
                throw new IllegalStateException(file + " is not held");
            }
            if (held.holders() > 1) {
                HELD.put(file, new Held(held.channel(), held.lock(), held.holders() - 1));
            } else {
                held.channel().close();
            }
        }
    }
}
