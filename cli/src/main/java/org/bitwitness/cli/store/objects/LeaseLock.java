package org.bitwitness.cli.store.objects;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.bitwitness.protocol.ProtocolException;

/**
 * A lock where there is none: everybody writes a lease first and looks for others' afterwards, so of two at least one
 * sees the other and gives way. A lease is written again while its owner works; one that was not for
 * {@link #LIFE} is that of a process that died. Ages are differences of the file system's own times.
 */
final class LeaseLock implements StoreFiles.Lock {
    static final Duration LIFE = Duration.ofMinutes(30);
    private static final Duration RENEWAL = Duration.ofMinutes(5);
    private static final String EXCLUSIVE = "exclusive-";
    private static final String SHARED = "shared-";

    private final FileSystem files;
    private final Path lease;
    private long renewedNanos;
    private boolean open = true;

    private LeaseLock(FileSystem files, Path lease) {
        this.files = files;
        this.lease = lease;
    }

    static LeaseLock take(FileSystem files, Path folder, boolean exclusive) throws IOException, ProtocolException {
        LeaseLock lock = new LeaseLock(files, new Path(folder, (exclusive ? EXCLUSIVE : SHARED) + UUID.randomUUID()));
        lock.write();
        boolean ours = false;
        try {
            requireAlone(files, folder, lock.lease, exclusive);
            ours = true;
        } finally {
            if (!ours) {
                lock.close();
            }
        }
        return lock;
    }

    private static void requireAlone(FileSystem files, Path folder, Path own, boolean exclusive)
            throws IOException, ProtocolException {
        long now = files.getFileStatus(own).getModificationTime();
        for (FileStatus other : files.listStatus(folder)) {
            String name = other.getPath().getName();
            boolean against = exclusive || name.startsWith(EXCLUSIVE);
            if (name.equals(own.getName()) || !against) {
                continue;
            }
            if (now - other.getModificationTime() <= LIFE.toMillis()) {
                throw new ProtocolException(
                        ProtocolException.Kind.ENVIRONMENT,
                        ("%s: somebody else is changing the store; wait until that is done. Where its process died, its"
                                        + " lease counts until it is %d minutes old")
                                .formatted(other.getPath(), LIFE.toMinutes()));
            }
        }
    }

    private void write() throws IOException {
        String owner = "process " + ProcessHandle.current().pid() + "\n";
        try (FSDataOutputStream out = files.create(lease, true)) {
            out.write(owner.getBytes(StandardCharsets.UTF_8));
        }
        renewedNanos = System.nanoTime();
    }

    @Override
    public void keep() throws IOException {
        long idle = System.nanoTime() - renewedNanos;
        if (!open || idle > LIFE.minus(RENEWAL).toNanos()) {
            throw new IOException(lease + ": this process stood still so long that others may have taken its lease for"
                    + " left behind; give the same command again");
        }
        if (idle > RENEWAL.toNanos()) {
            requireThere();
            write();
        }
    }

    private void requireThere() throws IOException {
        if (!files.exists(lease)) {
            throw new FileNotFoundException(lease + ": somebody deleted the lease of this process");
        }
    }

    @Override
    public void close() throws IOException {
        if (open) {
            open = false;
            files.delete(lease, false);
        }
    }
}
