package org.bitwitness.attestation.oms;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.commons.io.input.BoundedInputStream;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;

/** Walks a model folder and hashes what an OMS signature covers. */
final class ModelFolder {
    private ModelFolder() {}

    /**
     * Hashes every file, except the signature and git's own files at the top.
     *
     * @param shardSize bytes of a piece; empty to hash whole files
     * @throws AttestationException refused: a symbolic link, a special file, a name that is not UTF-8, no file at
     *     all; an empty file among shards, where no piece would stand for it
     */
    static ModelManifest manifest(Path folder, String signatureFile, OptionalLong shardSize)
            throws AttestationException {
        List<String> ignored = new ArrayList<>(ModelManifest.IGNORED);
        ignored.add(signatureFile);
        Walk walk = new Walk(folder, ignored, shardSize);
        try {
            Files.walkFileTree(folder, walk);
        } catch (IOException e) {
            throw new AttestationException(
                    AttestationException.Kind.ENVIRONMENT,
                    "cannot read the model folder %s: %s".formatted(folder, e),
                    e);
        }
        if (walk.trouble.isPresent()) {
            throw AttestationException.refused(walk.trouble.get());
        }
        if (walk.digests.isEmpty()) {
            throw AttestationException.refused(folder + ": expected a model, found no file to sign");
        }
        return new ModelManifest(walk.digests, shardSize);
    }

    private static final class Walk extends SimpleFileVisitor<Path> {
        private final Path folder;
        private final List<String> ignoredAtTop;
        private final OptionalLong shardSize;
        private final SortedMap<ModelResource, Sha256> digests = new TreeMap<>();
        private Optional<String> trouble = Optional.empty();

        Walk(Path folder, List<String> ignoredAtTop, OptionalLong shardSize) {
            this.folder = folder;
            this.ignoredAtTop = ignoredAtTop;
            this.shardSize = shardSize;
        }

        @Override
        public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes) {
            return isIgnored(dir) ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            if (isIgnored(file)) {
                return FileVisitResult.CONTINUE;
            }
            if (attributes.isSymbolicLink()) {
                return refuse(file + " is a symbolic link: a model holds plain files, copy the target in its place");
            }
            if (!attributes.isRegularFile()) {
                return refuse(file + " is neither a file nor a folder: a model holds plain files");
            }
            String name = name(file);
            if (!sameBytes(file)) {
                return refuse("%s has a name that is not UTF-8 text: rename it".formatted(file));
            }
            if (shardSize.isPresent() && attributes.size() == 0) {
                return refuse(file + " is empty, so no shard stands for it: remove it, or sign with method files");
            }
            long pieces = shardSize.isPresent() ? Math.ceilDiv(attributes.size(), shardSize.getAsLong()) : 1;
            if (pieces > ModelManifest.MAX_RESOURCES - digests.size()) {
                return refuse("%s has more than %d files or pieces".formatted(folder, ModelManifest.MAX_RESOURCES));
            }
            if (shardSize.isPresent()) {
                hashPieces(file, name, attributes.size());
            } else {
                digests.put(ModelResource.file(name), Hashing.file(file));
            }
            return FileVisitResult.CONTINUE;
        }

        private void hashPieces(Path file, String name, long size) throws IOException {
            try (InputStream in = Files.newInputStream(file)) {
                for (long start = 0; start < size; start += shardSize.orElseThrow()) {
                    long length = Math.min(shardSize.orElseThrow(), size - start);
                    InputStream piece = BoundedInputStream.builder()
                            .setInputStream(in)
                            .setMaxCount(length)
                            .setPropagateClose(false)
                            .get();
                    digests.put(ModelResource.shard(name, start, start + length), Hashing.sha256(piece));
                }
            }
        }

        private boolean isIgnored(Path path) {
            Path relative = folder.relativize(path);
            return relative.getNameCount() == 1 && ignoredAtTop.contains(relative.toString());
        }

        private String name(Path file) {
            List<String> parts = new ArrayList<>();
            folder.relativize(file).forEach(part -> parts.add(part.toString()));
            return String.join("/", parts);
        }

        /** A name whose bytes are not text reads as something else, and then does not lead back to the file. */
        private static boolean sameBytes(Path file) {
            try {
                return file.getFileSystem().getPath(file.toString()).equals(file);
            } catch (InvalidPathException e) {
                return false;
            }
        }

        private FileVisitResult refuse(String why) {
            trouble = Optional.of(why);
            return FileVisitResult.TERMINATE;
        }
    }
}
