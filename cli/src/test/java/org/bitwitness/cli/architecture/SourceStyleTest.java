package org.bitwitness.cli.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SourceStyleTest {
    private static final Path HOME = Path.of(System.getProperty("bitwitness.home", ".."));
    private static final Path MAIN = Path.of("cli/src/main/java/Planted.java");

    @Test
    void everySourceIsInStyle() throws IOException {
        List<String> complaints = new ArrayList<>();
        for (Path file : sources("src")) {
            complaints.addAll(SourceStyle.complaints(HOME.relativize(file), Files.readAllLines(file)));
        }
        assertEquals(List.of(), complaints);
    }

    @Test
    void everyPackageSaysWhatItIsFor() throws IOException {
        List<String> complaints = new ArrayList<>();
        List<Path> folders =
                sources("src/main").stream().map(Path::getParent).distinct().toList();
        for (Path folder : folders) {
            Path info = folder.resolve("package-info.java");
            List<String> lines = Files.exists(info) ? Files.readAllLines(info) : List.of();
            complaints.addAll(SourceStyle.packageComplaints(HOME.relativize(folder), lines));
        }
        assertEquals(List.of(), complaints);
    }

    @Test
    void aFileOfManyLinesIsRefused() {
        List<String> fits = Collections.nCopies(SourceStyle.MOST_LINES, "x");
        List<String> tooLong = Collections.nCopies(SourceStyle.MOST_LINES + 1, "x");
        assertEquals(List.of(), SourceStyle.complaints(MAIN, fits));
        assertEquals(1, SourceStyle.complaints(MAIN, tooLong).size());
    }

    @Test
    void aLongLineIsRefused() {
        assertEquals(List.of(), SourceStyle.complaints(MAIN, List.of("x".repeat(SourceStyle.MOST_COLUMNS))));
        assertEquals(
                1,
                SourceStyle.complaints(MAIN, List.of("x".repeat(SourceStyle.MOST_COLUMNS + 1)))
                        .size());
    }

    @Test
    void unfinishedWorkAndFoldersOfOneMachineAreRefused() {
        String unfinished = "// TO" + "DO later";
        String machine = "Path.of(\"/wo" + "rk/data\")";
        assertEquals(
                2, SourceStyle.complaints(MAIN, List.of(unfinished, machine)).size());
        assertEquals(List.of(), SourceStyle.complaints(MAIN, List.of("Path.of(\"net/work/data\")")));
    }

    @Test
    void aNameWithDigitsOfTheDefaultLocaleIsRefused() {
        String name = "\"shard-%05d\".formatted(index)";
        assertEquals(1, SourceStyle.complaints(MAIN, List.of(name)).size());
        assertEquals(List.of(), SourceStyle.complaints(MAIN, List.of("\"%016x\".formatted(bits)")));
    }

    @Test
    void aPackageWithoutWordsOrMarkIsRefused() {
        Path folder = Path.of("cli/src/main/java/planted");
        assertEquals(1, SourceStyle.packageComplaints(folder, List.of()).size());
        assertEquals(
                1,
                SourceStyle.packageComplaints(folder, List.of("@NullMarked", "package planted;"))
                        .size());
        assertEquals(
                List.of(),
                SourceStyle.packageComplaints(folder, List.of("/** Words. */", "@NullMarked", "package planted;")));
    }

    private static List<Path> sources(String below) throws IOException {
        List<Path> found = new ArrayList<>();
        for (Path module : modules()) {
            Path folder = module.resolve(below);
            if (Files.isDirectory(folder)) {
                try (Stream<Path> files = Files.walk(folder)) {
                    files.filter(file -> file.toString().endsWith(".java")).forEach(found::add);
                }
            }
        }
        assertTrue(found.size() > 50, "found only " + found);
        return found;
    }

    private static List<Path> modules() throws IOException {
        try (Stream<Path> folders = Files.list(HOME)) {
            return folders.filter(folder -> Files.exists(folder.resolve("pom.xml")))
                    .toList();
        }
    }
}
