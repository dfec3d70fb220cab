package org.bitwitness.attestation;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/**
 * Runs programs that were not written here. Where one is absent the test is skipped with the reason; with {@code
 * CI=true} in the environment, absence fails.
 */
public final class OtherSoftware {
    private static final long LIMIT_SECONDS = 180;

    private OtherSoftware() {}

    /** What a program printed, and how it ended. */
    public record Result(int exitCode, String output) {}

    /** Runs a program in a folder and waits; both outputs together. */
    public static Result run(Path folder, List<String> command) throws IOException, InterruptedException {
        Path output = Files.createTempFile("bitwitness-other-", ".txt");
        try {
            Process process = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            process.getOutputStream().close();
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return new Result(-1, "no end within %d s: %s".formatted(LIMIT_SECONDS, command));
            }
            return new Result(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
        } finally {
            Files.deleteIfExists(output);
        }
    }

    /** Skips the test where {@code program --version} does not run. */
    public static void require(String program, String versionOption) throws InterruptedException {
        try {
            Result result = run(Path.of("."), List.of(program, versionOption));
            if (result.exitCode() == 0) {
                return;
            }
            skip("%s %s ended with %d".formatted(program, versionOption, result.exitCode()));
        } catch (IOException e) {
            skip(program + " is not installed");
        }
    }

    /** Skips the test, or fails it where the checker is expected. */
    public static void skip(String why) {
        assertFalse("true".equals(System.getenv("CI")), () -> "CI expects this checker: " + why);
        Assumptions.abort("skipped: " + why);
    }

    /**
     * A folder under {@code target} with npm packages of the package.json resource beside {@code type}, installed on
     * first use.
     */
    public static Path npm(Class<?> type, List<String> resources) throws IOException, InterruptedException {
        require("node", "--version");
        require("npm", "--version");
        Path folder = Path.of("target", "npm-" + type.getSimpleName()).toAbsolutePath();
        Files.createDirectories(folder);
        for (String resource : resources) {
            try (var in = type.getResourceAsStream(resource)) {
                Files.write(
                        folder.resolve(resource),
                        java.util.Objects.requireNonNull(in, resource).readAllBytes());
            }
        }
        Path installed = folder.resolve("installed");
        String wanted = Files.readString(folder.resolve("package.json"));
        if (Files.exists(installed) && Files.readString(installed).equals(wanted)) {
            return folder;
        }
        Result install = run(
                folder, List.of("npm", "install", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"));
        if (install.exitCode() != 0) {
            skip("npm install failed, is there a network? " + install.output());
        }
        Files.writeString(installed, wanted);
        return folder;
    }
}
