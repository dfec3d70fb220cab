package org.bitwitness.cli.support;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The folder that holds the launcher, the build and the files that the build fetched. */
public final class Home {
    private Home() {}

    /**
     * The property {@code bitwitness.home}, which the launcher and the tests set; else the nearest folder above the
     * working directory that holds the launcher.
     *
     * @throws CommandFailure if there is none, exit 1
     */
    public static Path folder() throws CommandFailure {
        return known().orElseThrow(() -> CommandFailure.usage(
                "cannot tell where Bitwitness lives: start with ./bitwitness, or set -Dbitwitness.home=FOLDER"));
    }

    static Optional<Path> known() {
        String property = System.getProperty("bitwitness.home", "");
        if (!property.isEmpty()) {
            return Optional.of(Path.of(property));
        }
        Path folder = Path.of("").toAbsolutePath();
        while (folder != null && !Files.isRegularFile(folder.resolve("bitwitness"))) {
            folder = folder.getParent();
        }
        return Optional.ofNullable(folder);
    }
}
