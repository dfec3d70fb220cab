package org.bitwitness.attestation.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.bitwitness.attestation.AttestationException;

/**
 * Held by the one process that may write a folder. The operating system drops it when the process dies, however it
 * dies, so no stale lock is ever left.
 */
public final class WriterLock implements AutoCloseable {
    private final FileChannel channel;
    private final FileLock lock;

    private WriterLock(FileChannel channel, FileLock lock) {
        this.channel = channel;
        this.lock = lock;
    }

    /**
     * Takes the lock.
     *
     * @param file made if needed; holds the owner's process id, for people
     * @param what the thing that is written, for the message
     * @throws AttestationException if another writer holds it
     */
    public static WriterLock take(Path file, String what) throws AttestationException {
        FileChannel channel;
        try {
            channel = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new AttestationException(AttestationException.Kind.ENVIRONMENT, "cannot lock " + file + ": " + e, e);
        }
        try {
            FileLock lock = channel.tryLock();
            if (lock != null) {
                channel.truncate(0);
                channel.write(
                        ByteBuffer.wrap((ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII)));
                return new WriterLock(channel, lock);
            }
        } catch (OverlappingFileLockException heldByThisProcess) {
            // The same refusal as for another process, below.
        } catch (IOException e) {
            throw new AttestationException(AttestationException.Kind.ENVIRONMENT, "cannot lock " + file + ": " + e, e);
        }
        closeQuietly(channel);
        throw AttestationException.environment(
                "process %s already writes %s, and there may be one writer only: stop it first"
                        .formatted(owner(file), what));
    }

    private static String owner(Path file) {
        try {
            return Files.readString(file, StandardCharsets.US_ASCII).strip();
        } catch (IOException unknown) {
            return "(unknown)";
        }
    }

    private static void closeQuietly(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException nothingWasWritten) {
            // Only the refused attempt's own handle.
        }
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
