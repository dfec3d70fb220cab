package org.bitwitness.cli.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The table of lies in {@code docs/threat-model.md} names tests that there are, and one at least for every lie. */
class ThreatTableTest {
    private static final Path HOME = Path.of(System.getProperty("bitwitness.home", ".."));
    private static final Pattern ROW = Pattern.compile("\\| T(\\d+) \\|.*\\|(.*)\\|");
    private static final Pattern CLASS = Pattern.compile("`(\\w+Test)`");

    @Test
    void everyLieHasATestThatExists() throws IOException {
        List<String> lines = Files.readAllLines(HOME.resolve("docs/threat-model.md"));
        assertEquals(List.of(), complaints(lines, tests()));
        assertTrue(lines.stream().filter(line -> ROW.matcher(line).matches()).count() > 20, "the table is gone");
    }

    @Test
    void seesATestThatIsNotThereAndALieWithoutOne() {
        List<String> lines = List.of("| T1 | a lie | `GoneTest`, `HereTest` |", "| T3 | another | nobody |");
        assertEquals(
                List.of("T1: no test is called GoneTest", "T3 stands where T2 should", "T3: no test"),
                complaints(lines, Set.of("HereTest")));
    }

    private static List<String> complaints(List<String> lines, Set<String> tests) {
        List<String> complaints = new ArrayList<>();
        int rows = 0;
        for (String line : lines) {
            Matcher row = ROW.matcher(line);
            if (!row.matches()) {
                continue;
            }
            rows++;
            String name = "T" + row.group(1);
            if (!name.equals("T" + rows)) {
                complaints.add(name + " stands where T" + rows + " should");
            }
            Matcher classes = CLASS.matcher(row.group(2));
            int named = 0;
            while (classes.find()) {
                named++;
                if (!tests.contains(classes.group(1))) {
                    complaints.add(name + ": no test is called " + classes.group(1));
                }
            }
            if (named == 0) {
                complaints.add(name + ": no test");
            }
        }
        return complaints;
    }

    private static Set<String> tests() throws IOException {
        Set<String> names = new HashSet<>();
        try (Stream<Path> modules = Files.list(HOME)) {
            for (Path module : modules.toList()) {
                Path folder = module.resolve("src/test/java");
                if (Files.isDirectory(folder)) {
                    try (Stream<Path> files = Files.walk(folder)) {
                        files.map(file -> String.valueOf(file.getFileName()))
                                .filter(name -> name.endsWith("Test.java"))
                                .forEach(name -> names.add(name.substring(0, name.length() - ".java".length())));
                    }
                }
            }
        }
        return names;
    }
}
