package org.bitwitness.cli.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.bitwitness.cli.launcher.LauncherSandbox.Run;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LauncherTest {
    private static final String PRINT_ARGUMENTS = "printf '%s\\n' \"$@\"";

    @TempDir
    private Path folder;

    private LauncherSandbox sandbox;

    @BeforeEach
    void makeSandbox() throws Exception {
        sandbox = new LauncherSandbox(folder);
    }

    @Test
    void buildsOnFirstUseAndNotAgain() throws Exception {
        sandbox.withJdk(PRINT_ARGUMENTS).withMaven();
        Run first = sandbox.run("key", "show");
        assertEquals(0, first.exitCode(), first.err());
        assertEquals(1, first.err().lines().count(), first.err());
        assertTrue(first.err().contains("first use: building with JDK 25"), first.err());
        Run second = sandbox.run("key", "show");
        assertEquals("", second.err());
        assertEquals(1, sandbox.builds());
    }

    @Test
    void buildsAgainWhenASourceIsNewerOrGone() throws Exception {
        sandbox.withJdk(PRINT_ARGUMENTS).withMaven();
        sandbox.run("key");
        Path source = sandbox.home().resolve("cli/src/main/java/Main.java");
        Files.setLastModifiedTime(source, FileTime.from(Instant.parse("2100-01-01T00:00:00Z")));
        assertTrue(sandbox.run("key").err().contains("sources changed"));
        assertEquals(2, sandbox.builds());
        Files.delete(source);
        Files.setLastModifiedTime(source.getParent(), FileTime.from(Instant.parse("2100-01-01T00:00:00Z")));
        sandbox.run("key");
        assertEquals(3, sandbox.builds());
    }

    @Test
    void buildsAgainWhenALibraryIsGoneOrTheFolderHasMoved() throws Exception {
        sandbox.withJdk(PRINT_ARGUMENTS).withMaven();
        sandbox.run("key");
        Files.delete(folder.resolve("library.jar"));
        sandbox.run("key");
        assertEquals(2, sandbox.builds());
        Path moved = folder.resolve("moved");
        Files.move(sandbox.home(), moved);
        Run run = sandbox.runFrom(folder, moved.resolve("bitwitness"), "key");
        assertEquals(0, run.exitCode(), run.err());
        assertEquals(3, sandbox.builds());
    }

    @Test
    void twoLaunchersAtOnceBuildOnce() throws Exception {
        sandbox.withJdk(PRINT_ARGUMENTS).withMaven("3.9.1", "sleep 2\n" + sandbox.buildLines());
        Process first = sandbox.builder(folder, sandbox.home().resolve("bitwitness"), "key")
                .redirectErrorStream(true)
                .start();
        while (sandbox.builds() == 0) {
            assertTrue(first.isAlive());
            Thread.sleep(20);
        }
        Run second = sandbox.run("key");
        assertTrue(first.waitFor(1, TimeUnit.MINUTES));
        assertEquals(0, first.exitValue());
        assertEquals(0, second.exitCode(), second.err());
        assertTrue(second.err().contains("another build is running here"), second.err());
        assertEquals(1, sandbox.builds());
    }

    @Test
    void aFailedBuildShowsItsErrorsAndTheLogAndRunsNothing() throws Exception {
        sandbox.withJdk(PRINT_ARGUMENTS)
                .withMaven("3.9.1", "echo '[INFO] chatter'; echo '[ERROR] Main.java:[7,3] broken'; exit 1");
        Run run = sandbox.run("key");
        assertEquals(1, run.exitCode());
        assertEquals("", run.out());
        assertTrue(run.err().contains("[ERROR] Main.java:[7,3] broken"), run.err());
        assertTrue(run.err().contains("target/launcher/build.log"), run.err());
        assertFalse(run.err().contains("chatter"), run.err());
        sandbox.run("key");
        assertEquals(2, sandbox.builds());
    }

    @Test
    void anOldMavenGivesWayToTheWrapper() throws Exception {
        sandbox.withJdk(PRINT_ARGUMENTS).withMaven("3.6.3", "exit 0");
        LauncherSandbox.script(
                sandbox.home().resolve("mvnw"), "touch '" + folder + "/wrapped'\n" + sandbox.buildLines());
        assertEquals(0, sandbox.run("key").exitCode());
        assertTrue(Files.exists(folder.resolve("wrapped")));
        assertEquals(0, sandbox.builds());
    }

    @Test
    void argumentsAndExitCodesPassUnchanged() throws Exception {
        sandbox.withJdk(PRINT_ARGUMENTS + "; exit 2").withMaven();
        Run run = sandbox.run("verify", "a file.safetensors", "", "*");
        assertEquals(2, run.exitCode());
        List<String> words = run.out().lines().toList();
        int main = words.indexOf("org.bitwitness.cli.Main");
        assertEquals(List.of("verify", "a file.safetensors", "", "*"), words.subList(main + 1, words.size()));
        assertTrue(words.contains("-Dbitwitness.home=" + sandbox.home()), run.out());
    }

    @Test
    void noArgumentsReachTheProgramToo() throws Exception {
        sandbox.withJdk(PRINT_ARGUMENTS + "; exit 1").withMaven();
        sandbox.run("key");
        Run run = sandbox.run();
        assertEquals(1, run.exitCode());
        assertEquals("", run.err());
        assertTrue(run.out().endsWith("org.bitwitness.cli.Main\n"), run.out());
    }

    @Test
    void withoutALocaleTextIsUtf8AndAChosenOneIsKept() throws Exception {
        sandbox.withJdk("printf '%s' \"${LC_ALL:-}\"").withMaven();
        assertEquals("C.UTF-8", sandbox.run("key").out());
        assertEquals("C.UTF-8", sandbox.with("LANG", "POSIX").run("key").out());
        assertEquals("", sandbox.with("LANG", "de_DE.UTF-8").run("key").out());
        assertEquals("C.UTF-8", sandbox.with("LC_ALL", "C").run("key").out());
    }

    @Test
    void worksThroughASymbolicLinkFromAnotherFolder() throws Exception {
        sandbox.withJdk(PRINT_ARGUMENTS).withMaven();
        Path elsewhere = Files.createDirectories(folder.resolve("elsewhere"));
        Path toLauncher = Path.of("..").resolve(sandbox.home().getFileName()).resolve("bitwitness");
        Path link = Files.createSymbolicLink(elsewhere.resolve("bw"), toLauncher);
        Run run = sandbox.runFrom(elsewhere, link, "key");
        assertEquals(0, run.exitCode(), run.err());
        assertTrue(run.out().contains("-Dbitwitness.home=" + sandbox.home()), run.out());
    }

    @Test
    void userFlagsForTheJvmComeBeforeTheMainClass() throws Exception {
        sandbox.withJdk(PRINT_ARGUMENTS).withMaven().with("BITWITNESS_JAVA_OPTS", "-Xmx8g -XX:UseAVX=1");
        List<String> words = sandbox.run("replay", "x").out().lines().toList();
        assertTrue(words.indexOf("-Xmx8g") >= 0 && words.indexOf("-Xmx8g") < words.indexOf("-cp"), words.toString());
        assertTrue(words.contains("-XX:UseAVX=1"), words.toString());
    }

    @Test
    void onlyCommandsThatComputeGetTheVectorModule() throws Exception {
        sandbox.withJdk(PRINT_ARGUMENTS).withMaven();
        assertTrue(sandbox.run("replay", "x").out().contains("--add-modules=jdk.incubator.vector"));
        assertFalse(sandbox.run("replay", "--help").out().contains("--add-modules"));
        assertFalse(sandbox.run("verify", "x").out().contains("--add-modules"));
    }

    @Test
    void exactlyTheIncubatorWarningIsDroppedAndTheExitCodeKept() throws Exception {
        sandbox.withJdk("echo 'WARNING: Using incubator modules: jdk.incubator.vector' >&2\n"
                        + "echo 'WARNING: something else' >&2\necho 'from our code' >&3\nexit 3")
                .withMaven();
        sandbox.run("key");
        Run run = runUntilFilterEnds();
        assertEquals(3, run.exitCode());
        assertTrue(run.err().contains("from our code"), run.err());
        assertTrue(run.err().contains("WARNING: something else"), run.err());
        assertFalse(run.err().contains("incubator"), run.err());
    }

    /**
     * The filter may write after java has ended, when Process has closed its end of the pipe; {@code cat} reads to the end
     * of the stream, which comes when the filter ends.
     */
    private Run runUntilFilterEnds() throws Exception {
        Path err = folder.resolve("filtered.txt");
        String script = "set -o pipefail; \"$@\" 2>&1 | cat >'" + err + "'";
        ProcessBuilder launcher = sandbox.builder(folder, sandbox.home().resolve("bitwitness"), "replay", "x");
        List<String> command = new ArrayList<>(List.of("bash", "-c", script, "bash"));
        command.addAll(launcher.command());
        int exitCode = launcher.command(command).start().waitFor();
        return new Run(exitCode, "", Files.readString(err));
    }

    @Test
    void killingTheLauncherKillsJava() throws Exception {
        sandbox.withJdk("case \"$*\" in *--version) exit 0 ;; esac\necho $$\nexec sleep 60")
                .withMaven();
        sandbox.run("--version");
        for (String command : List.of("replay", "serve")) {
            Process launcher = sandbox.builder(folder, sandbox.home().resolve("bitwitness"), command)
                    .start();
            // The launcher has become java, so that nobody is left when it is killed.
            assertEquals(Long.toString(launcher.pid()), launcher.inputReader().readLine());
            launcher.destroy();
            assertTrue(launcher.waitFor(30, TimeUnit.SECONDS));
            assertEquals(128 + 15, launcher.exitValue());
        }
    }

    @Test
    void anOldJavaHomeIsPassedOver() throws Exception {
        Path old = sandbox.jdk("jdk 17", "17.0.15", "exit 9");
        Path good = sandbox.jdk("usual/jdk 26", "26-ea", PRINT_ARGUMENTS);
        sandbox.with("JAVA_HOME", old.toString())
                .with("BITWITNESS_JDK_FOLDERS", folder.resolve("nothing") + ":" + good)
                .withMaven();
        Run run = sandbox.run("key");
        assertEquals(0, run.exitCode(), run.err());
        assertTrue(run.err().contains("JDK 26"), run.err());
    }

    @Test
    void theJavaOnPathIsFoundThroughItsLinks() throws Exception {
        Path good = sandbox.jdk("jdk 25", "25", PRINT_ARGUMENTS);
        sandbox.withMaven();
        Path bin = Files.createDirectories(folder.resolve("maven bin"));
        Files.createSymbolicLink(bin.resolve("java"), good.resolve("bin/java"));
        Run run = sandbox.run("key");
        assertEquals(0, run.exitCode(), run.err());
    }

    @Test
    void withoutAJdkItSaysWhatToInstallAndExitsWithOne() throws Exception {
        Path old = sandbox.jdk("jdk 21", "21.0.2", "exit 9");
        sandbox.withMaven().with("JAVA_HOME", old.toString()).with("PATH", "/usr/bin:/bin");
        hideJavaOnPath();
        Run run = sandbox.run("demo");
        assertEquals(1, run.exitCode());
        for (String part : List.of("JDK 25 or newer", "21", "Debian, Ubuntu", "Fedora", "macOS", "temurin-25-jdk")) {
            assertTrue(run.err().contains(part), part + " missing in: " + run.err());
        }
    }

    /** The machine's own java may be a good one: a PATH with only what the launcher calls hides it. */
    private void hideJavaOnPath() throws Exception {
        Path bin = Files.createDirectories(folder.resolve("few tools"));
        for (String tool : List.of("bash", "dirname", "readlink", "find", "head", "cat", "mkdir", "flock", "sed")) {
            Path real = Path.of("/usr/bin").resolve(tool);
            if (Files.exists(real)) {
                LauncherSandbox.script(bin.resolve(tool), "exec " + real + " \"$@\"");
            }
        }
        sandbox.with("PATH", bin.toString());
    }

    @Test
    void totalsAreSummedOverAllReports() throws Exception {
        sandbox.withJdk(PRINT_ARGUMENTS).withMaven();
        Path reports = Files.createDirectories(sandbox.home().resolve("cli/target/surefire-reports"));
        Files.writeString(reports.resolve("TEST-a.xml"), report(12, 1, 3, 2));
        Files.writeString(reports.resolve("TEST-b.xml"), report(5, 0, 0, 0));
        assertEquals(
                "11 passed, 4 failed, 2 skipped\n", sandbox.run("test-totals").out());
    }

    private static String report(int tests, int errors, int failures, int skipped) {
        return """
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuite name="x" time="0.1" tests="%d" errors="%d" skipped="%d" failures="%d">
                </testsuite>
                """.formatted(tests, errors, skipped, failures);
    }
}
