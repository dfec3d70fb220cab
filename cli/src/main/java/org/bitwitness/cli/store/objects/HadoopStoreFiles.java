package org.bitwitness.cli.store.objects;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.bitwitness.protocol.ProtocolException;

/**
 * A store in a file system that Hadoop knows. Where a file appears when it is closed ({@code s3a:}), it is written
 * under its name; elsewhere below {@code tmp}, synced and renamed.
 */
final class HadoopStoreFiles implements StoreFiles {
    private static final int BUFFER_BYTES = 1 << 16;

    private final FileSystem files;
    private final Path root;
    private final boolean appearsWhenClosed;

    HadoopStoreFiles(FileSystem files, Path root) {
        this.files = files;
        this.root = files.makeQualified(root);
        this.appearsWhenClosed = "s3a".equals(files.getScheme());
    }

    @Override
    public Map<String, Long> list(String folder) throws IOException {
        Map<String, Long> found = new TreeMap<>();
        Path top = folder.isEmpty() ? root : new Path(root, folder);
        String prefix = root.toUri().getPath();
        try {
            RemoteIterator<LocatedFileStatus> all = files.listFiles(top, true);
            while (all.hasNext()) {
                FileStatus file = all.next();
                found.put(name(prefix, file.getPath()), file.getLen());
            }
        } catch (FileNotFoundException nothingThere) {
            return found;
        }
        return found;
    }

    private static String name(String prefix, Path path) {
        String text = path.toUri().getPath();
        return text.substring(prefix.endsWith("/") ? prefix.length() : prefix.length() + 1);
    }

    @Override
    public OptionalLong size(String name) throws IOException {
        try {
            FileStatus status = files.getFileStatus(new Path(root, name));
            return status.isFile() ? OptionalLong.of(status.getLen()) : OptionalLong.empty();
        } catch (FileNotFoundException absent) {
            return OptionalLong.empty();
        }
    }

    @Override
    public InputStream open(String name, long offset) throws IOException {
        FSDataInputStream in = files.open(new Path(root, name));
        try {
            in.seek(offset);
            return in;
        } catch (IOException e) {
            in.close();
            throw e;
        }
    }

    @Override
    public void put(String name, Body body) throws IOException, ProtocolException {
        Path target = new Path(root, name);
        Path written = appearsWhenClosed ? target : new Path(root, LocalStoreFiles.TEMPORARY + "/" + UUID.randomUUID());
        boolean whole = false;
        // Closing would make half a file appear; an abort does not.
        FSDataOutputStream out = files.create(written, true);
        try {
            body.writeTo(out);
            if (!appearsWhenClosed) {
                out.hsync();
            }
            out.close();
            whole = true;
        } finally {
            if (!whole) {
                discard(out, written);
            }
        }
        if (!appearsWhenClosed) {
            move(written, target);
        }
    }

    private void discard(FSDataOutputStream out, Path written) throws IOException {
        if (appearsWhenClosed) {
            out.abort();
        } else {
            try {
                out.close();
            } finally {
                files.delete(written, false);
            }
        }
    }

    /** Such a file system renames to no name that is taken. A whole file there stays; a damaged one makes room. */
    private void move(Path from, Path to) throws IOException {
        files.mkdirs(to.getParent());
        if (files.rename(from, to)) {
            return;
        }
        if (!files.exists(to)) {
            files.delete(from, false);
            throw new IOException("cannot move %s to %s".formatted(from, to));
        }
        if (same(from, to)) {
            files.delete(from, false);
            return;
        }
        files.delete(to, false);
        if (!files.rename(from, to)) {
            throw new IOException(
                    "cannot move %s to %s, which was damaged and is gone: add the run again".formatted(from, to));
        }
    }

    private boolean same(Path one, Path other) throws IOException {
        if (files.getFileStatus(one).getLen() != files.getFileStatus(other).getLen()) {
            return false;
        }
        byte[] left = new byte[BUFFER_BYTES];
        byte[] right = new byte[BUFFER_BYTES];
        try (FSDataInputStream a = files.open(one);
                FSDataInputStream b = files.open(other)) {
            while (true) {
                int n = a.readNBytes(left, 0, left.length);
                int m = b.readNBytes(right, 0, right.length);
                if (!Arrays.equals(left, 0, n, right, 0, m)) {
                    return false;
                }
                if (n < left.length) {
                    return true;
                }
            }
        }
    }

    @Override
    public void delete(String name) throws IOException {
        files.delete(new Path(root, name), false);
    }

    @Override
    public int leftovers() throws IOException {
        return list(LocalStoreFiles.TEMPORARY).size();
    }

    @Override
    public void deleteLeftovers() throws IOException {
        files.delete(new Path(root, LocalStoreFiles.TEMPORARY), true);
    }

    @Override
    public Lock lock(boolean exclusive) throws IOException, ProtocolException {
        return LeaseLock.take(files, new Path(root, "locks"), exclusive);
    }

    @Override
    public String describe() {
        return root.toString();
    }

    @Override
    public void close() throws IOException {
        files.close();
    }
}
