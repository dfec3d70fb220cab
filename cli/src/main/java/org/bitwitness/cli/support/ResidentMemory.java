package org.bitwitness.cli.support;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/** What the operating system counts as this process's memory; nothing where it does not say. */
public final class ResidentMemory {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final long KIB = 1024;

    private ResidentMemory() {}

    /** Bytes resident now. */
    public static OptionalLong now() {
        return field("VmRSS:");
    }

    /** Bytes resident at most since the process started. */
    public static OptionalLong peak() {
        return field("VmHWM:");
    }

    private static OptionalLong field(String name) {
        try {
            return Files.readAllLines(STATUS, StandardCharsets.UTF_8).stream()
                    .filter(line -> line.startsWith(name))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * KIB)
                    .findFirst();
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }
}
