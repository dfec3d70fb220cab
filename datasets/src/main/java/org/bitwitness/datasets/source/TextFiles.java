package org.bitwitness.datasets.source;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.datasets.Document;
import org.bitwitness.datasets.SourceFile;
import org.bitwitness.datasets.TextForm;
import org.bitwitness.protocol.Hashing;

/** Plain text: every file is one document, named by its path below the folder that was given, with {@code /}. */
public final class TextFiles {
    /** A document is read into memory in one piece. */
    static final long MAX_FILE_BYTES = 1L << 30;

    private TextFiles() {}

    /**
     * Reads a file, or every file below a folder. Symbolic links are refused: what they point to is not in the folder.
     *
     * @throws DatasetException naming the file that is not UTF-8, too large, a link or unreadable
     */
    public static DocumentSet read(Path path) throws DatasetException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            throw DatasetException.environment("%s does not exist", path);
        }
        List<SourceFile> sources = new ArrayList<>();
        List<Document> documents = new ArrayList<>();
        boolean folder = Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
        for (Path file : filesBelow(path)) {
            String name = folder ? slashed(path.relativize(file)) : String.valueOf(file.getFileName());
            byte[] raw = readAll(file);
            requireName(name);
            sources.add(new SourceFile(name, raw.length, Hashing.sha256(raw)));
            documents.add(Document.of(name, TextForm.of(raw, file.toString())));
        }
        return DocumentSet.of(sources, documents);
    }

    static byte[] readAll(Path file) throws DatasetException {
        try {
            if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                throw DatasetException.bytes("%s is a link or no plain file: give the file itself", file);
            }
            if (Files.size(file) > MAX_FILE_BYTES) {
                throw DatasetException.bytes(
                        "%s has %d bytes, a text file may have %d: split it", file, Files.size(file), MAX_FILE_BYTES);
            }
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    static void requireName(String name) throws DatasetException {
        var problem = Document.nameProblem(name);
        if (problem.isPresent()) {
            throw DatasetException.bytes("%s", problem.get());
        }
    }

    static DatasetException unreadable(Path file, IOException e) {
        return new DatasetException(
                DatasetException.Kind.ENVIRONMENT, "cannot read %s: %s".formatted(file, e.getMessage()), e);
    }

    private static List<Path> filesBelow(Path path) throws DatasetException {
        List<Path> files = new ArrayList<>();
        try {
            Files.walkFileTree(path, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    files.add(file);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw unreadable(path, e);
        }
        return files;
    }

    private static String slashed(Path relative) {
        List<String> parts = new ArrayList<>();
        relative.forEach(part -> parts.add(part.toString()));
        return String.join("/", parts);
    }
}
