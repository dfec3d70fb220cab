package org.bitwitness.protocol.store;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.record.FileEntry;

/**
 * A recording in a folder of this machine. Follows no symbolic link and reads only regular files.
 *
 * <p>A new file is written under a name that begins with {@value #PARTIAL}, synced, moved to its name in one operation,
 * and then its folder is synced: after a crash it is there whole, or not there.
 */
public final class FolderStore implements RecordingStore {
    /** Begins the names of files being written; no path of a recording can begin so. */
    static final String PARTIAL = ".partial-";

    /** Of the process that writes; no part of a recording. */
    static final String LOCK = ".writer-lock";

    private static final int MAX_FILES = 1 << 20;
    private static final int BUFFER_BYTES = 1 << 16;

    private final Path root;
    private final WriteBoundary boundary;

    private FolderStore(Path root, WriteBoundary boundary) {
        this.root = root;
        this.boundary = boundary;
    }

    /** A recording that is there already. */
    public static FolderStore open(Path folder) throws ProtocolException {
        if (!Files.isDirectory(folder)) {
            throw new ProtocolException(
                    ProtocolException.Kind.ENVIRONMENT, folder + " is not a folder: name the folder of a recording");
        }
        return new FolderStore(folder, WriteBoundary.NOTHING);
    }

    /** A new recording; the folder is made, and must be empty if it is there. */
    public static FolderStore create(Path folder) throws ProtocolException {
        try {
            Files.createDirectories(folder);
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
                if (entries.iterator().hasNext()) {
                    throw new ProtocolException(
                            ProtocolException.Kind.ENVIRONMENT,
                            folder + " is not empty: a recording starts in an empty folder");
                }
            }
        } catch (IOException e) {
            throw environment("cannot make the folder " + folder, e);
        }
        return new FolderStore(folder, WriteBoundary.NOTHING);
    }

    /** For tests: the same store, stopped at write boundaries. */
    FolderStore withBoundary(WriteBoundary stopper) {
        return new FolderStore(root, stopper);
    }

    public Path root() {
        return root;
    }

    /**
     * Makes this process the one that writes the recording.
     *
     * @throws ProtocolException environment, if another one does
     */
    public WriterLock lock() throws ProtocolException {
        return WriterLock.take(root.resolve(LOCK), "the recording " + root);
    }

    @Override
    public List<RecordingPath> files() throws ProtocolException {
        List<RecordingPath> files = new ArrayList<>();
        walk(root, "", files, new ArrayList<>());
        files.sort(null);
        return files;
    }

    @Override
    public List<String> leftovers() throws ProtocolException {
        List<String> leftovers = new ArrayList<>();
        walk(root, "", new ArrayList<>(), leftovers);
        leftovers.sort(null);
        return leftovers;
    }

    @Override
    public boolean exists(RecordingPath path) throws ProtocolException {
        requireNoLink(path);
        return Files.isRegularFile(file(path), LinkOption.NOFOLLOW_LINKS);
    }

    @Override
    public StoredFile open(RecordingPath path) throws ProtocolException {
        requireNoLink(path);
        requirePlain(path);
        try {
            return LocalFile.open(path.text(), file(path), LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            throw new ProtocolException(ProtocolException.Kind.MISSING, path + ": the file is missing", e);
        } catch (IOException e) {
            throw environment("cannot read " + file(path), e);
        }
    }

    @Override
    public FileEntry write(RecordingPath path, FileContent content) throws ProtocolException {
        if (!exists(path)) {
            return replace(path, content);
        }
        FileEntry there = entry(path);
        MessageDigest digest = Hashing.newDigest();
        try (OutputStream out = new DigestOutputStream(OutputStream.nullOutputStream(), digest)) {
            content.writeTo(out);
        } catch (IOException e) {
            throw environment("cannot make the bytes of " + path, e);
        }
        Sha256 brought = Hashing.finish(digest);
        if (!brought.equals(there.sha256())) {
            throw ProtocolException.unequal(
                    "%s: is there with SHA-256 %s and must not change, the new bytes have %s",
                    path, there.sha256(), brought);
        }
        return there;
    }

    @Override
    public FileEntry replace(RecordingPath path, FileContent content) throws ProtocolException {
        Path target = file(path);
        Path folder = parent(target);
        Path partial = folder.resolve(PARTIAL + target.getFileName());
        try {
            makeFolders(folder);
            boundary.before(WriteBoundary.Operation.WRITE, path);
            FileEntry written = writeSynced(path, partial, content);
            boundary.after(WriteBoundary.Operation.WRITE, path);
            boundary.before(WriteBoundary.Operation.MOVE, path);
            Files.move(partial, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            boundary.after(WriteBoundary.Operation.MOVE, path);
            syncFolder(folder);
            return written;
        } catch (IOException e) {
            deleteQuietly(partial, e);
            throw environment("cannot write " + target + " (is the disk full?)", e);
        }
    }

    @Override
    public void delete(RecordingPath path) throws ProtocolException {
        requireNoLink(path);
        try {
            Files.deleteIfExists(file(path));
            syncFolder(parent(file(path)));
        } catch (IOException e) {
            throw environment("cannot delete " + file(path), e);
        }
    }

    @Override
    public String describe() {
        return root.toString();
    }

    private FileEntry writeSynced(RecordingPath path, Path partial, FileContent content) throws IOException {
        MessageDigest digest = Hashing.newDigest();
        try (FileChannel channel = FileChannel.open(
                partial,
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                StandardOpenOption.TRUNCATE_EXISTING,
                LinkOption.NOFOLLOW_LINKS)) {
            OutputStream out = new BufferedOutputStream(
                    new DigestOutputStream(Channels.newOutputStream(channel), digest), BUFFER_BYTES);
            content.writeTo(out);
            out.flush();
            channel.force(true);
            return new FileEntry(path, channel.size(), Hashing.finish(digest));
        }
    }

    private static void deleteQuietly(Path partial, IOException cause) {
        try {
            Files.deleteIfExists(partial);
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    private void makeFolders(Path folder) throws IOException {
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectories(folder);
            for (Path made = folder; !made.equals(root); made = parent(made)) {
                syncFolder(parent(made));
            }
        }
    }

    private static void syncFolder(Path folder) throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** A link anywhere on the way could lead out of the folder. */
    private void requireNoLink(RecordingPath path) throws ProtocolException {
        Path at = root;
        for (String part : path.text().split("/", -1)) {
            at = at.resolve(part);
            if (Files.isSymbolicLink(at)) {
                throw ProtocolException.malformed("%s: is or goes through a symbolic link, which is refused", path);
            }
        }
    }

    /** Opening a named pipe would wait for ever, and a folder or device has no bytes to read. */
    private void requirePlain(RecordingPath path) throws ProtocolException {
        Path file = file(path);
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw ProtocolException.malformed("%s: should be a plain file, is something else", path);
        }
    }

    private void walk(Path folder, String prefix, List<RecordingPath> files, List<String> leftovers)
            throws ProtocolException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
            for (Path entry : entries) {
                String name = prefix + entry.getFileName();
                if (files.size() >= MAX_FILES) {
                    throw ProtocolException.overLimit("%s: more than %d files", root, MAX_FILES);
                }
                if (name.equals(LOCK) && Files.isRegularFile(entry, LinkOption.NOFOLLOW_LINKS)) {
                    continue;
                }
                if (Files.isRegularFile(entry, LinkOption.NOFOLLOW_LINKS)
                        && entry.getFileName().toString().startsWith(PARTIAL)) {
                    leftovers.add(name);
                } else if (Files.isSymbolicLink(entry)) {
                    throw ProtocolException.malformed("%s: a symbolic link, which is refused", name);
                } else if (!RecordingPath.isValid(name)) {
                    throw ProtocolException.malformed("%s: not a name that a recording may have", name);
                } else if (Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
                    walk(entry, name + "/", files, leftovers);
                } else if (Files.isRegularFile(entry, LinkOption.NOFOLLOW_LINKS)) {
                    files.add(new RecordingPath(name));
                } else {
                    throw ProtocolException.malformed("%s: neither a file nor a folder", name);
                }
            }
        } catch (IOException e) {
            throw environment("cannot list " + folder, e);
        }
    }

    private Path file(RecordingPath path) {
        return root.resolve(path.text());
    }

    private static Path parent(Path path) {
        Path parent = path.getParent();
        if (parent == null) {
            throw new IllegalStateException(path + " has no parent");
        }
        return parent;
    }

    private static ProtocolException environment(String what, IOException cause) {
        return new ProtocolException(ProtocolException.Kind.ENVIRONMENT, what + ": " + cause.getMessage(), cause);
    }
}
