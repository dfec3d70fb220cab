package org.bitwitness.attestation.oms;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;

/** Walks a model folder and hashes what an OMS signature covers. */
final class ModelFolder {
    private ModelFolder() {}

    /**
     * Hashes every file, except the signature and git's own files at the top.
     *
     * @throws AttestationException refused: a symbolic link, a special file, a name that is not UTF-8, no file at all
     */
    static ModelManifest manifest(Path folder, String signatureFile) throws AttestationException {
        List<String> ignored = new ArrayList<>(ModelManifest.IGNORED);
        ignored.add(signatureFile);
        Walk walk = new Walk(folder, ignored);
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
        if (walk.files.isEmpty()) {
            throw AttestationException.refused(folder + ": expected a model, found no file to sign");
        }
        return new ModelManifest(walk.files);
    }

    private static final class Walk extends SimpleFileVisitor<Path> {
        private final Path folder;
        private final List<String> ignoredAtTop;
        private final SortedMap<String, Sha256> files = new TreeMap<>();
        private java.util.Optional<String> trouble = java.util.Optional.empty();

        Walk(Path folder, List<String> ignoredAtTop) {
            this.folder = folder;
            this.ignoredAtTop = ignoredAtTop;
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
            if (files.size() == ModelManifest.MAX_FILES) {
                return refuse("%s has more than %d files".formatted(folder, ModelManifest.MAX_FILES));
            }
            files.put(name, Hashing.file(file));
            return FileVisitResult.CONTINUE;
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
            trouble = java.util.Optional.of(why);
            return FileVisitResult.TERMINATE;
        }
    }
}
