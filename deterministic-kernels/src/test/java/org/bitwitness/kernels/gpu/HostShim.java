package org.bitwitness.kernels.gpu;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.bitwitness.kernels.gpu.backend.PtxLibrary;

/** Compiles {@code src/test/cuda/host_shim.cpp} with all kernels, once per test run. */
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
        try {
            StringBuilder entries = new StringBuilder();
            PtxLibrary.kernels()
                    .keySet()
                    .forEach(name -> entries.append("ENTRY(").append(name).append("),\n"));
            Files.writeString(folder.resolve("kernels.inc"), entries);
            Path program = folder.resolve("host_shim");
            Process compiler = new ProcessBuilder(
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
                            program.toString(),
                            Path.of("src/test/cuda/host_shim.cpp")
                                    .toAbsolutePath()
                                    .toString())
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("compiler.txt").toFile())
                    .start();
            if (!compiler.waitFor(COMPILE_SECONDS, TimeUnit.SECONDS) || compiler.exitValue() != 0) {
                compiler.destroyForcibly();
                throw new IllegalStateException("g++ failed: " + Files.readString(folder.resolve("compiler.txt")));
            }
            return program;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
