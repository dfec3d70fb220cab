package org.bitwitness.cli.demo;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import org.bitwitness.cli.support.CommandFailure;

/**
 * The folder a demo leaves behind.
 *
 * <pre>
 * OUT/ run/ liar/            recordings          verdicts/*.sigstore.json
 *      log/                  the tile log        trust/     what a verifier needs
 *      keys/                 every key           released/  the model with model.sig
 *      work/                 dataset, process logs, witness and auditor state
 *      summary.json
 * </pre>
 *
 * @param path absolute
 */
record DemoFolder(Path path) {
    /** A folder without this file is never deleted. */
    private static final String MARKER = ".bitwitness-demo";

    private static final String MARKER_TEXT = "bitwitness demo output, format 1\n";

    /**
     * Makes the folder; with {@code force}, an older demo's folder is deleted first.
     *
     * @throws CommandFailure if the folder exists without {@code force}, or is not a demo's
     */
    static DemoFolder create(Path out, boolean force) throws CommandFailure, IOException {
        Path path = out.toAbsolutePath().normalize();
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            boolean demo =
                    Files.isRegularFile(path.resolve(MARKER), LinkOption.NOFOLLOW_LINKS) && !Files.isSymbolicLink(path);
            if (!demo) {
                throw CommandFailure.usage(path + " exists and was not made by a demo (it has no file " + MARKER
                        + "), so not even --force replaces it: name another folder with --out");
            }
            if (!force) {
                throw CommandFailure.usage(
                        path + " holds an earlier demo: name another folder with --out, or replace it with --force");
            }
            delete(path);
        }
        Files.createDirectories(path);
        Files.writeString(path.resolve(MARKER), MARKER_TEXT);
        DemoFolder folder = new DemoFolder(path);
        for (Path inside : List.of(folder.work(), folder.keys(), folder.verdicts())) {
            Files.createDirectories(inside);
        }
        return folder;
    }

    Path run() {
        return path.resolve("run");
    }

    Path liar() {
        return path.resolve("liar");
    }

    Path log() {
        return path.resolve("log");
    }

    Path keys() {
        return path.resolve("keys");
    }

    Path key(String name) {
        return keys().resolve(name);
    }

    Path verdicts() {
        return path.resolve("verdicts");
    }

    Path trust() {
        return path.resolve("trust");
    }

    Path released() {
        return path.resolve("released");
    }

    Path summary() {
        return path.resolve("summary.json");
    }

    Path work() {
        return path.resolve("work");
    }

    Path dataset() {
        return work().resolve("dataset");
    }

    /** Copies a flat or nested folder of plain files. */
    static void copy(Path from, Path to) throws IOException {
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
                Files.createDirectories(to.resolve(from.relativize(folder)));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.copy(file, to.resolve(from.relativize(file)));
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static void delete(Path path) throws IOException {
        // Links are deleted as links: the walk does not follow them.
        Files.walkFileTree(path, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(
                    Path folder, @org.jspecify.annotations.Nullable IOException failure) throws IOException {
                if (failure != null) {
                    throw failure;
                }
                Files.delete(folder);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
