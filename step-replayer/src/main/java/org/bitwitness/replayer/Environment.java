package org.bitwitness.replayer;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.bytes.CanonicalEncoder;

/**
 * What a replay ran on, as names and values. A verdict carries only the digest, so that an auditor can show later what
 * machine it was without publishing it now.
 */
public record Environment(SortedMap<String, String> facts) {
    private static final Path CPU_INFO = Path.of("/proc/cpuinfo");
    private static final List<String> PROPERTIES =
            List.of("java.vm.name", "java.vm.vendor", "java.vm.version", "os.arch", "os.name", "os.version");

    public Environment {
        facts = java.util.Collections.unmodifiableSortedMap(new TreeMap<>(facts));
    }

    /** This process on this machine. */
    public static Environment current() {
        SortedMap<String, String> facts = new TreeMap<>();
        for (String name : PROPERTIES) {
            facts.put(name, System.getProperty(name, "unknown"));
        }
        facts.put("cpu", cpuModel());
        facts.put("jvm.flags", String.join(" ", flags()));
        return new Environment(facts);
    }

    /** {@code H(environment, name, value, name, value, …)} by name. */
    public Sha256 digest() {
        CanonicalEncoder encoder = CanonicalEncoder.of("environment");
        facts.forEach((name, value) -> encoder.text(name).text(value));
        return encoder.hash();
    }

    /** Options that may change how code is compiled; paths and properties are left out. */
    private static List<String> flags() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> flag.startsWith("-X"))
                .filter(flag -> !flag.contains("/"))
                .toList();
    }

    private static String cpuModel() {
        if (!Files.isReadable(CPU_INFO)) {
            return "unknown";
        }
        try (Stream<String> lines = Files.lines(CPU_INFO, StandardCharsets.UTF_8)) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("unknown");
        } catch (IOException e) {
            return "unknown";
        }
    }
}
