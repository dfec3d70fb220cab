package org.bitwitness.protocol.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.bitwitness.protocol.ProtocolException;

/**
 * Held by the one process that may write a folder. The operating system drops it when the process dies, however it
 * dies, so no stale lock is ever left.
 */
public final class WriterLock implements AutoCloseable {
    private static final int MAX_TRIES = 3;

    private final Path file;
    private final String mark;
    private final FileChannel channel;
    private final FileLock lock;

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
        try {
            for (int tries = 0; tries < MAX_TRIES; tries++) {
                Optional<WriterLock> lock = tryTake(file, opened);
                if (lock.isEmpty()) {
                    break;
                }
                if (lock.get().isThatOf(file)) {
                    return lock.get();
                }
                lock.get().close();
            }
        } catch (IOException e) {
            throw new ProtocolException(ProtocolException.Kind.ENVIRONMENT, "cannot lock " + file + ": " + e, e);
        }
        throw new ProtocolException(
                ProtocolException.Kind.ENVIRONMENT,
                "process %s already writes %s, and there may be one writer only: stop it first"
                        .formatted(owner(file), what));
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
        } catch (OverlappingFileLockException heldByThisProcess) {
            return Optional.empty();
        } finally {
            if (!taken) {
                channel.close();
            }
        }
    }

    /** False where the file was removed by its last owner after we had opened it: somebody may have made a new one. */
    private boolean isThatOf(Path there) throws IOException {
        try {
            return Files.readString(there, StandardCharsets.US_ASCII).equals(mark);
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
            lock.release();
            channel.close();
        }
    }
}
