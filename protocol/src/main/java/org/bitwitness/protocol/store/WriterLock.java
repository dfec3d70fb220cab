package org.bitwitness.protocol.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.bitwitness.protocol.ProtocolException;

/**
 * Held by the one process that may write a folder. The operating system drops it when the process dies, however it
 * dies, so no stale lock is ever left.
 */
public final class WriterLock implements AutoCloseable {
    private static final int MAX_TRIES = 3;

    /**
     * Files that this process has locked. A POSIX lock ends when its process closes any descriptor of the file, whoever
     * opened it, so a file that is locked here must not be opened here again.
     */
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    private final Path file;
    private final String mark;
    private final FileChannel channel;
    private final FileLock lock;

    /** Another descriptor of the file, which may not be closed before the lock is let go. */
    private Optional<FileChannel> looked = Optional.empty();

    private WriterLock(Path file, String mark, FileChannel channel, FileLock lock) {
        this.file = file;
        this.mark = mark;
        this.channel = channel;
        this.lock = lock;
    }

    /**
     * Takes the lock.
     *
     * @param file made if needed; holds the owner's process id, for people
     * @param what the thing that is written, for the message
     * @throws ProtocolException if another writer holds it
     */
    public static WriterLock take(Path file, String what) throws ProtocolException {
        return take(file, what, () -> {});
    }

    /** @param opened runs when the file is open and not locked yet, which is where another owner may remove it */
    static WriterLock take(Path file, String what, Runnable opened) throws ProtocolException {
        Optional<WriterLock> lock = Optional.empty();
        try {
            Path real = real(file);
            if (!HELD.add(real)) {
                throw taken(String.valueOf(ProcessHandle.current().pid()), what);
            }
            try {
                lock = tryAgain(real, opened);
            } finally {
                if (lock.isEmpty()) {
                    HELD.remove(real);
                }
            }
        } catch (IOException e) {
            throw new ProtocolException(ProtocolException.Kind.ENVIRONMENT, "cannot lock " + file + ": " + e, e);
        }
        return lock.orElseThrow(() -> taken(owner(file), what));
    }

    private static ProtocolException taken(String owner, String what) {
        return new ProtocolException(
                ProtocolException.Kind.ENVIRONMENT,
                "process %s already writes %s, and there may be one writer only: stop it first".formatted(owner, what));
    }

    /** One name for each file, whichever way its folder was written. */
    private static Path real(Path file) throws IOException {
        Path absolute = file.toAbsolutePath();
        Path folder = absolute.getParent();
        return folder == null ? absolute : folder.toRealPath().resolve(absolute.getFileName());
    }

    private static Optional<WriterLock> tryAgain(Path file, Runnable opened) throws IOException {
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            Optional<WriterLock> lock = tryTake(file, opened);
            if (lock.isEmpty()) {
                return lock;
            }
            boolean ours = false;
            try {
                ours = lock.get().isThatOf(file);
            } finally {
                if (!ours) {
                    lock.get().letGo();
                }
            }
            if (ours) {
                return lock;
            }
        }
        return Optional.empty();
    }

    private static Optional<WriterLock> tryTake(Path file, Runnable opened) throws IOException {
        FileChannel channel = FileChannel.open(
                file,
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                LinkOption.NOFOLLOW_LINKS);
        boolean taken = false;
        try {
            opened.run();
            FileLock lock = channel.tryLock();
            if (lock == null) {
                return Optional.empty();
            }
            String mark = ProcessHandle.current().pid() + "\n" + System.nanoTime() + "\n";
            channel.truncate(0);
            channel.write(ByteBuffer.wrap(mark.getBytes(StandardCharsets.US_ASCII)));
            taken = true;
            return Optional.of(new WriterLock(file, mark, channel, lock));
        } finally {
            if (!taken) {
                channel.close();
            }
        }
    }

    /** False where the file was removed by its last owner after we had opened it: somebody may have made a new one. */
    private boolean isThatOf(Path there) throws IOException {
        try {
            FileChannel look = FileChannel.open(there, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
            looked = Optional.of(look);
            ByteBuffer found = ByteBuffer.allocate(mark.length() + 1);
            while (found.hasRemaining() && look.read(found) >= 0) {
                // A short read is no end.
            }
            return new String(found.array(), 0, found.position(), StandardCharsets.US_ASCII).equals(mark);
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    private static String owner(Path file) {
        try {
            return Files.readString(file, StandardCharsets.US_ASCII)
                    .lines()
                    .findFirst()
                    .orElse("(unknown)");
        } catch (IOException unknown) {
            return "(unknown)";
        }
    }

    /** Removes the file and lets go: for folders that should hold nothing else. */
    public void closeAndRemove() throws IOException {
        if (channel.isOpen()) {
            Files.deleteIfExists(file);
        }
        close();
    }

    /** Lets go; a second call does nothing. */
    @Override
    public void close() throws IOException {
        if (channel.isOpen()) {
            try {
                letGo();
            } finally {
                HELD.remove(file);
            }
        }
    }

    private void letGo() throws IOException {
        try {
            lock.release();
        } finally {
            channel.close();
            if (looked.isPresent()) {
                looked.get().close();
            }
        }
    }
}
