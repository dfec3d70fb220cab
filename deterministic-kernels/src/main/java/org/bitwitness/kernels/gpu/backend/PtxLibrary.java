package org.bitwitness.kernels.gpu.backend;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bitwitness.kernels.gpu.GpuException;
import org.bitwitness.kernels.gpu.GpuFailure;
import org.bitwitness.kernels.gpu.PtxModule;
import org.bitwitness.protocol.Sha256;

/**
 * The shipped PTX and its manifest: {@code manifest.txt} names compiler and flags, and for every module the hash of its source
 * (the file and all headers) and of its text. {@code src/main/cuda/build.sh} writes both.
 */
public final class PtxLibrary {
    private static final String FOLDER = "/org/bitwitness/kernels/gpu/ptx/";
    private static final Pattern MODULE =
            Pattern.compile("module ([a-z0-9_]+) source ([0-9a-f]{64}) ptx ([0-9a-f]{64})");
    private static final Pattern ENTRY = Pattern.compile("\\.visible \\.entry (\\w+)");

    /**
     * One line of the manifest.
     *
     * @param source SHA-256 over the .cu file followed by every .cuh file in the order of their names
     * @param ptx SHA-256 of the PTX
     */
    public record Entry(String module, Sha256 source, Sha256 ptx) {}

    private PtxLibrary() {}

    /** Every module that the manifest names. */
    public static List<Entry> manifest() {
        return manifest(text("manifest.txt"));
    }

    /**
     * Reads a manifest.
     *
     * @throws GpuException with {@link GpuFailure.PtxRefused} if it has a line of another kind, or names no module
     */
    public static List<Entry> manifest(String text) {
        List<Entry> entries = new ArrayList<>();
        for (String line : text.lines().toList()) {
            Matcher module = MODULE.matcher(line);
            if (module.matches()) {
                entries.add(new Entry(module.group(1), Sha256.ofHex(module.group(2)), Sha256.ofHex(module.group(3))));
            } else if (!line.matches("(compiler|flags|version) .*")) {
                throw refused(
                        "manifest.txt",
                        "it has a line of an unknown kind, \"" + line + "\": install the release again");
            }
        }
        if (entries.isEmpty()) {
            throw refused("manifest.txt", "it names no module: install the release again");
        }
        return entries;
    }

    /**
     * The modules, each checked against the manifest.
     *
     * @throws GpuException with {@link GpuFailure.PtxRefused} if a text is missing or another than the manifest names
     */
    public static List<PtxModule> modules() {
        return manifest().stream()
                .map(entry -> new PtxModule(entry.module() + ".ptx", text(entry.module() + ".ptx"), entry.ptx()))
                .toList();
    }

    /** Every kernel and the module it is in. */
    public static Map<String, PtxModule> kernels() {
        Map<String, PtxModule> kernels = new HashMap<>();
        for (PtxModule module : modules()) {
            Matcher entries = ENTRY.matcher(module.text());
            while (entries.find()) {
                kernels.put(entries.group(1), module);
            }
        }
        return kernels;
    }

    private static String text(String name) {
        try (InputStream in = PtxLibrary.class.getResourceAsStream(FOLDER + name)) {
            if (in == null) {
                throw refused(name, "it is not in this installation: install the release again");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw refused(name, "it cannot be read: " + e.getMessage());
        }
    }

    private static GpuException refused(String name, String detail) {
        return new GpuException(new GpuFailure.PtxRefused(name, detail));
    }
}
