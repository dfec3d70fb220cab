package org.bitwitness.cli.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bitwitness.cli.support.JvmFlagsForTests;
import org.junit.jupiter.api.Test;

/** The launcher, the build and Relaunch give a JVM the same flags. */
class FlagsTest {
    private static final Path HOME = Path.of(System.getProperty("bitwitness.home", ".."));

    @Test
    void theLauncherHasTheFlagsOfRelaunch() throws Exception {
        String launcher = Files.readString(HOME.resolve("bitwitness"));
        assertEquals(JvmFlagsForTests.base(), words(group(launcher, "base_flags=\\(([^)]*)\\)")));
        assertEquals(JvmFlagsForTests.vector(), group(launcher, "vector_flag=(\\S+)"));
        assertEquals(
                JvmFlagsForTests.kernels(),
                words(group(launcher, "kernel_flags=\\(([^)]*)\\)").replace("'", "")));
        assertEquals(JvmFlagsForTests.light(), words(group(launcher, "light_flags=\\(([^)]*)\\)")));
    }

    @Test
    void theLauncherComputesInTheSameCommands() throws Exception {
        String launcher = Files.readString(HOME.resolve("bitwitness"));
        Set<String> commands = new TreeSet<>(words(group(launcher, "compute_commands=\"([^\"]*)\"")));
        assertEquals(new TreeSet<>(JvmFlagsForTests.computeCommands()), commands);
    }

    @Test
    void testsRunWithTheSameFlags() throws Exception {
        String pom = Files.readString(HOME.resolve("pom.xml"));
        Set<String> flags = new TreeSet<>(words(group(pom, "<bitwitness.jvm.flags>([^<]*)<")));
        Set<String> expected = new TreeSet<>(JvmFlagsForTests.base());
        expected.add(JvmFlagsForTests.vector());
        assertEquals(expected, flags);
    }

    private static String group(String text, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        if (!matcher.find()) {
            throw new AssertionError("not found: " + pattern);
        }
        return matcher.group(1);
    }

    private static List<String> words(String text) {
        return List.of(text.strip().split("\\s+"));
    }
}
