package org.bitwitness.kernels.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.kernels.gpu.backend.GpuBackend;
import org.bitwitness.kernels.gpu.backend.PtxLibrary;
import org.bitwitness.kernels.ptx.emulator.EmulatedDevice;
import org.bitwitness.kernels.ptx.emulator.EmulatorOptions;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.tensor.Shape;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The PTX in the jar is what the sources beside it compile to, and what drivers since 2018 take. */
class PtxLibraryTest {
    private static final Path SOURCES = Path.of("src/main/cuda").toAbsolutePath();
    private static final Path PTX = Path.of("src/main/resources/org/bitwitness/kernels/gpu/ptx");

    @TempDir
    private Path folder;

    @Test
    void theManifestNamesEverySourceWithItsHash() throws Exception {
        Set<String> named = new TreeSet<>();
        for (PtxLibrary.Entry entry : PtxLibrary.manifest()) {
            named.add(entry.module() + ".cu");
            assertEquals(
                    sourceHash(entry.module()),
                    entry.source(),
                    entry.module() + ".cu or a header changed: run src/main/cuda/build.sh and commit the PTX");
        }
        assertEquals(new TreeSet<>(sources(".cu")), named);
    }

    @Test
    void everyModuleIsTheOneTheManifestNames() {
        assertEquals(PtxLibrary.manifest().size(), PtxLibrary.modules().size());
    }

    @Test
    void aTamperedModuleIsRefused() {
        PtxModule module = PtxLibrary.modules().getFirst();
        String tampered = module.text().replaceFirst("add\\.rn\\.f32", "sub.rn.f32");
        GpuException refused =
                assertThrows(GpuException.class, () -> new PtxModule(module.name(), tampered, module.digest()));
        assertTrue(refused.failure()
                .message()
                .contains("its manifest expects SHA-256 " + module.digest().hex()));
    }

    @Test
    void aManifestWithALineThatIsNoneIsRefused() throws Exception {
        String good = Files.readString(PTX.resolve("manifest.txt"));
        assertEquals(PtxLibrary.manifest(), PtxLibrary.manifest(good));
        for (String bad : List.of(
                "",
                good.replaceFirst("ptx [0-9a-f]{2}", "ptx zz"),
                good.replaceFirst("module ", "Module "),
                good + "\n\n")) {
            GpuException refused = assertThrows(GpuException.class, () -> PtxLibrary.manifest(bad));
            assertTrue(
                    refused.failure().message().contains("manifest.txt is refused"),
                    refused.failure().message());
        }
    }

    @Test
    void aKernelThatNoModuleHasIsAFailureOfTheDeviceAndNoDefect() {
        Map<String, PtxModule> modules = new HashMap<>(PtxLibrary.kernels());
        modules.remove("scale_tensor");
        EmulatedDevice device = new EmulatedDevice(EmulatorOptions.fast(1));
        try (GpuBackend backend = new GpuBackend(BackendId.PTX_EMULATOR, device, modules, 1)) {
            Tensor tensor = Tensor.declare("t", Shape.of(3));
            backend.allocate(tensor);
            GpuException failed = assertThrows(GpuException.class, () -> backend.scale(List.of(tensor), 2f));
            assertTrue(
                    failed.failure().message().contains("scale_tensor"),
                    failed.failure().message());
        }
    }

    /** Field report 28: PTX newer than a driver does not load. 6.4 is of 2019 and enough for everything used. */
    @Test
    void everyModuleAsksForAnOldDriverOnly() {
        for (PtxModule module : PtxLibrary.modules()) {
            assertTrue(module.text().contains("\n.version 6.4\n"), module.name());
            assertTrue(module.text().contains("\n.target sm_75\n"), module.name());
        }
    }

    @Test
    void nothingIsSpilledToLocalMemory() {
        for (PtxModule module : PtxLibrary.modules()) {
            assertTrue(!module.text().contains(".local"), module.name());
        }
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"rope", "sums", "columns"})
    void theCommittedPtxIsWhatTheCompilerMakes(String module) throws Exception {
        assumeTrue(sameCompiler(), "needs the compiler that the manifest names");
        String flags = manifestLine("flags");
        Path out = folder.resolve(module + ".ptx");
        List<String> command = Stream.concat(
                        Stream.of("nvcc"),
                        Stream.concat(Stream.of(flags.split(" ", -1)), Stream.of(module + ".cu", "-o", out.toString())))
                .toList();
        run(command, 120);
        String text = Files.readString(out).replaceFirst("(?m)^\\.version .*$", ".version " + manifestLine("version"));
        assertEquals(Files.readString(PTX.resolve(module + ".ptx")), text);
    }

    @Tag("slow")
    @Test
    void everyCommittedFileIsWhatTheBuildScriptMakes() throws Exception {
        assumeTrue(sameCompiler(), "needs the compiler that the manifest names");
        run(List.of("bash", "build.sh", folder.toString()), 900);
        for (String name : sources(".cu")) {
            String ptx = name.replace(".cu", ".ptx");
            assertEquals(Files.readString(PTX.resolve(ptx)), Files.readString(folder.resolve(ptx)), ptx);
        }
        assertEquals(Files.readString(PTX.resolve("manifest.txt")), Files.readString(folder.resolve("manifest.txt")));
    }

    private static boolean sameCompiler() throws Exception {
        try {
            Process version = new ProcessBuilder("nvcc", "--version").start();
            String text = new String(version.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return version.waitFor() == 0 && text.contains(manifestLine("compiler"));
        } catch (IOException e) {
            return false;
        }
    }

    private static String manifestLine(String word) throws IOException {
        return Files.readAllLines(PTX.resolve("manifest.txt")).stream()
                .filter(line -> line.startsWith(word + " "))
                .map(line -> line.substring(word.length() + 1))
                .findFirst()
                .orElseThrow();
    }

    private static void run(List<String> command, long seconds) throws Exception {
        Process process = new ProcessBuilder(command)
                .directory(SOURCES.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertTrue(process.waitFor(seconds, TimeUnit.SECONDS), command.toString());
        assertEquals(0, process.exitValue(), command.toString());
    }

    private static Sha256 sourceHash(String module) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.write(Files.readAllBytes(SOURCES.resolve(module + ".cu")));
        for (String header : sources(".cuh")) {
            all.write(Files.readAllBytes(SOURCES.resolve(header)));
        }
        return Hashing.sha256(all.toByteArray());
    }

    private static List<String> sources(String suffix) throws IOException {
        try (Stream<Path> files = Files.list(SOURCES)) {
            return files.map(file -> String.valueOf(file.getFileName()))
                    .filter(name -> name.endsWith(suffix))
                    .sorted()
                    .collect(Collectors.toList());
        }
    }
}
