package org.bitwitness.kernels.gpu;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.bitwitness.kernels.gpu.backend.PtxLibrary;

/** Compiles {@code src/test/cuda} with all kernels by g++: as a program, or as a driver library. */
public final class HostShim {
    private static final long COMPILE_SECONDS = 300;

    private HostShim() {}

    /** Whether this machine can: g++ on the path, and a processor whose stacks the shim knows how to switch. */
    public static boolean possible() {
        try {
            return System.getProperty("os.arch").equals("amd64")
                    && new ProcessBuilder("g++", "--version")
                                    .redirectErrorStream(true)
                                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                                    .start()
                                    .waitFor()
                            == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Compiles the kernels of {@code sources} into {@code folder} and gives the program. */
    public static Path compile(Path sources, Path folder) {
        return compile(sources, "host_shim.cpp", folder.resolve("host_shim"), List.of());
    }

    /** Compiles them as a driver library, {@code libcuda.so.1} in {@code folder}. */
    public static void compileDriver(Path sources, Path folder) {
        List<String> library = List.of("-shared", "-fPIC", "-Wl,-soname,libcuda.so.1");
        compile(sources, "fake_driver.cpp", folder.resolve("libcuda.so.1"), library);
    }

    private static Path compile(Path sources, String name, Path out, List<String> more) {
        Path folder = out.resolveSibling("");
        try {
            StringBuilder entries = new StringBuilder();
            PtxLibrary.kernels()
                    .keySet()
                    .forEach(kernel -> entries.append("ENTRY(").append(kernel).append("),\n"));
            Files.writeString(out.resolveSibling("kernels.inc"), entries);
            List<String> command = new ArrayList<>(List.of(
                    "g++",
                    "-O1",
                    "-march=native",
                    "-ffp-contract=off",
                    "-fno-strict-aliasing",
                    "-Wno-unknown-pragmas",
                    "-std=c++17",
                    "-I" + folder,
                    "-I" + sources,
                    "-o",
                    out.toString(),
                    Path.of("src/test/cuda", name).toAbsolutePath().toString()));
            command.addAll(more);
            Process compiler = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(out.resolveSibling("compiler.txt").toFile())
                    .start();
            if (!compiler.waitFor(COMPILE_SECONDS, TimeUnit.SECONDS) || compiler.exitValue() != 0) {
                compiler.destroyForcibly();
                throw new IllegalStateException("g++ failed: " + Files.readString(out.resolveSibling("compiler.txt")));
            }
            return out;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
