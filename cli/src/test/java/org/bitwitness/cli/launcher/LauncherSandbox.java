package org.bitwitness.cli.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * A copy of the launcher in a folder of its own, with a JDK and a Maven that are small scripts: what the launcher
 * decides shows in what it calls them with, and nothing is built.
 */
final class LauncherSandbox {
    /** How a launcher run ended. */
    record Run(int exitCode, String out, String err) {}

    private static final Duration LIMIT = Duration.ofMinutes(3);

    private final Path root;
    private final Path home;
    private final Map<String, String> environment = new TreeMap<>();

    LauncherSandbox(Path folder) throws IOException {
        this.root = folder.toRealPath();
        this.home = Files.createDirectories(root.resolve("a place with spaces"));
        Path real = Path.of(System.getProperty("bitwitness.home", ".."));
        Files.copy(real.resolve("bitwitness"), home.resolve("bitwitness"));
        Files.createDirectories(home.resolve("cli/src/main/java"));
        Files.createDirectories(home.resolve(".mvn"));
        Files.writeString(home.resolve("pom.xml"), "<project/>");
        Files.writeString(home.resolve("cli/pom.xml"), "<project/>");
        Files.writeString(home.resolve("cli/src/main/java/Main.java"), "class Main {}");
        age(home);
        script(home.resolve("mvnw"), "echo wrapper >&2; exit 3");
        environment.put("PATH", "/usr/bin:/bin");
        environment.put("BITWITNESS_JDK_FOLDERS", "");
        environment.put("HOME", root.toString());
    }

    /** Sources as old as in a clone of yesterday, so that the first build is newer. */
    private static void age(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            for (Path file : files.toList()) {
                Files.setLastModifiedTime(file, FileTime.fromMillis(1_000_000_000_000L));
            }
        }
    }

    Path home() {
        return home;
    }

    Path root() {
        return root;
    }

    LauncherSandbox with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    /** A folder that looks like a JDK of that version; its java runs the given lines of shell. */
    Path jdk(String name, String version, String javaLines) {
        try {
            Path folder = Files.createDirectories(root.resolve(name));
            Files.createDirectories(folder.resolve("bin"));
            Files.writeString(
                    folder.resolve("release"),
                    "IMPLEMENTOR=\"Test\"\nJAVA_VERSION=\"" + version + "\"\nJAVA_RUNTIME_VERSION=\"" + version
                            + "+1\"\n");
            script(folder.resolve("bin/java"), javaLines);
            script(folder.resolve("bin/javac"), "exit 0");
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A JDK 25 in JAVA_HOME whose java prints its arguments, one a line, unless it makes the start-up cache. */
    LauncherSandbox withJdk(String javaLines) {
        return with(
                "JAVA_HOME",
                jdk("jdk 25", "25.0.3", "case \"$*\" in *AOTCacheOutput*) exit 0 ;; esac\n" + javaLines)
                        .toString());
    }

    /** A Maven of that version on PATH; it appends its arguments to {@code builds} and runs the given lines. */
    LauncherSandbox withMaven(String version, String lines) throws IOException {
        Path bin = Files.createDirectories(root.resolve("maven bin"));
        script(
                bin.resolve("mvn"),
                "case \"$*\" in --version) echo \"Apache Maven " + version + " (abc)\"; exit 0 ;; esac\n"
                        + "echo \"$JAVA_HOME: $*\" >>'" + root + "/builds'\n" + lines);
        return with("PATH", bin + ":/usr/bin:/bin");
    }

    /** A Maven whose build succeeds. */
    LauncherSandbox withMaven() throws IOException {
        return withMaven("3.8.7", buildLines());
    }

    String buildLines() {
        return "mkdir -p cli/target && touch cli/target/cli-1.jar '" + root + "/library.jar'\n" + "printf '%s' '" + root
                + "/library.jar' >cli/target/classpath.txt";
    }

    int builds() throws IOException {
        Path builds = root.resolve("builds");
        return Files.exists(builds) ? Files.readAllLines(builds).size() : 0;
    }

    Run run(String... arguments) throws IOException, InterruptedException {
        return runFrom(root, home.resolve("bitwitness"), arguments);
    }

    Run runFrom(Path workingFolder, Path launcher, String... arguments) throws IOException, InterruptedException {
        Path out = Files.createTempFile(root, "out", ".txt");
        Path err = Files.createTempFile(root, "err", ".txt");
        Process process = builder(workingFolder, launcher, arguments)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        process.getOutputStream().close();
        if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("the launcher did not end: " + Files.readString(err));
        }
        return new Run(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    ProcessBuilder builder(Path workingFolder, Path launcher, String... arguments) {
        List<String> command = new ArrayList<>(List.of("bash", launcher.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).directory(workingFolder.toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        return builder;
    }

    static void script(Path file, String lines) throws IOException {
        Files.writeString(file, "#!/bin/bash\n" + lines + "\n", StandardCharsets.UTF_8);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
