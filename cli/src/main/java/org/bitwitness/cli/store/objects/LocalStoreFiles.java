package org.bitwitness.cli.store.objects;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.UUID;
import org.bitwitness.protocol.ProtocolException;

/**
 * A store in a folder of this machine. A new file is written below {@code tmp}, synced, moved to its name in one
 * operation, and then its folder is synced. Symbolic links are not followed.
 */
final class LocalStoreFiles implements StoreFiles {
    static final String TEMPORARY = "tmp";
    private static final int BUFFER_BYTES = 1 << 16;

    private final Path root;
    private final StoreBoundary boundary;

    LocalStoreFiles(Path root) {
        this(root, StoreBoundary.NOTHING);
    }

    /** For tests: stopped at write boundaries. */
    LocalStoreFiles(Path root, StoreBoundary boundary) {
        this.root = root;
        this.boundary = boundary;
    }

    @Override
    public Map<String, Long> list(String folder) throws IOException {
        Map<String, Long> found = new TreeMap<>();
        // The store's own folder may be reached by a link, its contents not.
        Path base = Files.exists(root) ? root.toRealPath() : root;
        Path top = base.resolve(folder);
        if (!Files.isDirectory(top, LinkOption.NOFOLLOW_LINKS)) {
            return found;
        }
        Files.walkFileTree(top, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                String name = base.relativize(file).toString();
                found.put(name.replace('\\', '/'), attributes.isRegularFile() ? attributes.size() : -1);
                return FileVisitResult.CONTINUE;
            }
        });
        return found;
    }

    @Override
    public OptionalLong size(String name) throws IOException {
        Path file = root.resolve(name);
        return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                ? OptionalLong.of(Files.size(file))
                : OptionalLong.empty();
    }

    @Override
    public InputStream open(String name, long offset) throws IOException {
        InputStream in = Files.newInputStream(root.resolve(name), LinkOption.NOFOLLOW_LINKS);
        try {
            in.skipNBytes(offset);
            return in;
        } catch (IOException e) {
            in.close();
            throw e;
        }
    }

    @Override
    public void put(String name, Body body) throws IOException, ProtocolException {
        Path target = root.resolve(name);
        Path temporary = root.resolve(TEMPORARY).resolve(UUID.randomUUID().toString());
        makeFolders(parent(temporary));
        boolean moved = false;
        try {
            boundary.at("before write " + name);
            writeSynced(temporary, body);
            boundary.at("after write " + name);
            makeFolders(parent(target));
            boundary.at("before move " + name);
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            moved = true;
            boundary.at("after move " + name);
            syncFolder(parent(target));
        } finally {
            if (!moved) {
                Files.deleteIfExists(temporary);
            }
        }
    }

    private static void writeSynced(Path file, Body body) throws IOException, ProtocolException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER_BYTES);
            body.writeTo(out);
            out.flush();
            channel.force(true);
        }
    }

    @Override
    public void delete(String name) throws IOException {
        boundary.at("before delete " + name);
        Files.deleteIfExists(root.resolve(name));
        syncFolder(parent(root.resolve(name)));
        boundary.at("after delete " + name);
    }

    @Override
    public int leftovers() throws IOException {
        return list(TEMPORARY).size();
    }

    @Override
    public void deleteLeftovers() throws IOException {
        if (!Files.isDirectory(root.resolve(TEMPORARY), LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(root.resolve(TEMPORARY))) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
    }

    @Override
    public Lock lock(boolean exclusive) throws IOException, ProtocolException {
        makeFolders(root);
        return FolderLock.take(root.resolve("lock"), exclusive);
    }

    @Override
    public String describe() {
        return root.toString();
    }

    @Override
    public void close() {
        // Holds nothing open.
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

    private static Path parent(Path path) {
        Path parent = path.getParent();
        if (parent == null) {
            throw new IllegalStateException(path + " has no parent");
        }
        return parent;
    }
}
