package org.bitwitness.cli.doctor;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.cli.support.GpuOptions;
import org.bitwitness.cli.support.RuntimeNeed;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.BackendAbsentException;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.Backends;
import org.bitwitness.kernels.FloatMode;
import org.bitwitness.kernels.gpu.GpuException;
import org.bitwitness.kernels.gpu.backend.GpuBackend;
import org.bitwitness.kernels.gpu.backend.GpuSelfTest;
import org.bitwitness.protocol.ProfileId;
import org.bitwitness.replayer.EngineFactory;
import org.bitwitness.replayer.Environment;
import org.bitwitness.replayer.GoldenRun;
import org.bitwitness.replayer.GoldenTraining;
import org.bitwitness.replayer.SelfTest;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bitwitness doctor}: can this machine replay, and may it say so? */
@Command(
        name = "doctor",
        description = {
            "Check that this machine can replay: backends, memory, disk, clock, options.",
            "A backend that fails its self-test can only ever say INCONCLUSIVE. Exit 0: all is well; 2: a check fails."
        },
        footerHeading = "%nExample:%n",
        footer = "  bitwitness doctor --backend vector")
public final class DoctorCommand extends BaseCommand {
    private static final long MEBI = 1 << 20;
    private static final long LEAST_HEAP_MEBIBYTES = 256;
    private static final long LEAST_DISK_MEBIBYTES = 1024;
    private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(5);

    @Option(
            names = "--backend",
            paramLabel = "B",
            description = "Only this one: vector, reference, cuda or ptx-emulator.")
    private Optional<String> backend = Optional.empty();

    @Mixin
    private GpuOptions gpu = new GpuOptions();

    @Option(names = "--threads", paramLabel = "N", description = "Threads of the self-test. Default: all cores.")
    private int threads = Runtime.getRuntime().availableProcessors();

    /**
     * Golden runs that show one thing.
     *
     * @param what beside the plain steps, for which it is empty
     */
    private record GoldenPart(String what, ProfileId profile, List<GoldenRun> runs) {
        static final List<GoldenPart> ALL = List.of(
                new GoldenPart("", ProfileId.F32_C512, List.of(GoldenRun.GPT2, GoldenRun.LLAMA)),
                new GoldenPart("SGD", ProfileId.F32_C512, List.of(GoldenRun.SGD_GPT2, GoldenRun.SGD_LLAMA)),
                new GoldenPart(
                        "robust rules", ProfileId.F32_C512, List.of(GoldenRun.KRUM_GPT2, GoldenRun.TRIMMED_LLAMA)),
                new GoldenPart("BF16-C512", ProfileId.BF16_C512, List.of(GoldenRun.BF16_GPT2, GoldenRun.BF16_LLAMA)));
    }

    /** One line of the report. */
    private record Check(String name, boolean passed, String found) {}

    @Override
    protected Set<RuntimeNeed> needs() {
        return Set.of(RuntimeNeed.ARROW, RuntimeNeed.SPARK, RuntimeNeed.VECTOR);
    }

    @Override
    protected CommandResult execute(CommandIo io) throws Exception {
        List<Check> checks = new ArrayList<>();
        for (BackendId id : backends()) {
            for (GoldenPart part : GoldenPart.ALL) {
                checks.add(selfTest(id, part));
            }
            if (id.onlyOnRequest()) {
                checks.addAll(deviceChecks(id));
                for (String family : GoldenTraining.FAMILIES) {
                    checks.add(training(id, family));
                }
            }
        }
        Optional<String> floats = FloatMode.problem();
        checks.add(new Check(
                "float arithmetic",
                floats.isEmpty(),
                floats.orElse("rounds to nearest even and keeps subnormals, on old and new threads")));
        checks.add(memory());
        checks.add(disk());
        checks.add(clock(InstantSource.system()));
        checks.add(new Check("JVM options", true, "everything Arrow, Spark and the Vector API need is there"));
        boolean passed = checks.stream().allMatch(Check::passed);
        Environment environment = Environment.current();
        return CommandResult.of(
                passed ? ExitCode.OK : ExitCode.REFUSED, document(checks, environment), lines(checks, environment));
    }

    private List<BackendId> backends() throws CommandFailure {
        if (backend.isEmpty()) {
            if (gpu.given()) {
                throw CommandFailure.usage(
                        "--gpu-memory, --device and --emulator-checks need --backend cuda or ptx-emulator");
            }
            return Backends.available();
        }
        BackendId id = CommandFailure.typed(() -> BackendId.parse(backend.get()));
        gpu.choose(id);
        return List.of(id);
    }

    private Check selfTest(BackendId id, GoldenPart part) throws CommandFailure {
        long begin = System.nanoTime();
        String name = part.what().isEmpty() ? "backend " + id : id + ", " + part.what();
        try {
            SelfTest.Result result = new SelfTest(EngineFactory.STANDARD).run(id, threads, part.profile(), part.runs());
            double seconds = (System.nanoTime() - begin) / 1e9;
            String found = result.problem()
                    .orElse(String.format(
                            Locale.ROOT,
                            "%d golden steps, all bits equal, %d threads, %.1f s",
                            part.runs().size() * GoldenRun.STEPS,
                            threads,
                            seconds));
            return new Check(name, result.problem().isEmpty(), found);
        } catch (BackendAbsentException e) {
            throw CommandFailure.usage(e.getMessage() + ". Nothing was run in its place");
        } catch (GpuException e) {
            return new Check(name, false, e.failure().message());
        }
    }

    /** What only a device has to show: sums over its functions, subnormals, digests. */
    private List<Check> deviceChecks(BackendId id) throws CommandFailure {
        try (Backend backend = Backends.create(id, threads);
                Backend oracle = Backends.create(BackendId.VECTOR, threads)) {
            if (!(backend instanceof GpuBackend device)) {
                throw new IllegalStateException(id + " is not a device");
            }
            return GpuSelfTest.run(device, oracle).stream()
                    .map(finding -> new Check(finding.name(), finding.passed(), finding.found()))
                    .toList();
        } catch (BackendAbsentException e) {
            throw CommandFailure.usage(e.getMessage() + ". Nothing was run in its place");
        } catch (GpuException e) {
            return List.of(new Check("device", false, e.failure().message()));
        }
    }

    /** A run of 100 steps against the committed digest; emulated, the first steps of it. */
    private Check training(BackendId id, String family) throws CommandFailure {
        String name = "training " + family;
        boolean emulated = id == BackendId.PTX_EMULATOR;
        int steps = emulated ? GoldenTraining.FEW_STEPS : GoldenTraining.STEPS;
        try {
            GoldenTraining.Result result = new GoldenTraining(EngineFactory.STANDARD).run(family, id, threads, steps);
            String found = result.problem()
                    .orElse("%s, the digest is the committed %s"
                            .formatted(
                                    emulated
                                            ? "%d of %d steps, for emulation is slow"
                                                    .formatted(steps, GoldenTraining.STEPS)
                                            : steps + " steps",
                                    result.root()));
            return new Check(name, result.problem().isEmpty(), found);
        } catch (BackendAbsentException e) {
            throw CommandFailure.usage(e.getMessage() + ". Nothing was run in its place");
        } catch (GpuException e) {
            return new Check(name, false, e.failure().message());
        }
    }

    private static Check memory() {
        long heap = Runtime.getRuntime().maxMemory() / MEBI;
        long machine =
                ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean os
                        ? os.getTotalMemorySize() / MEBI
                        : 0;
        return new Check(
                "memory",
                heap >= LEAST_HEAP_MEBIBYTES,
                "%d MiB for this process, %d MiB in the machine".formatted(heap, machine));
    }

    private static Check disk() throws java.io.IOException {
        long free = Files.getFileStore(Path.of("")).getUsableSpace() / MEBI;
        return new Check("disk", free >= LEAST_DISK_MEBIBYTES, free + " MiB free here");
    }

    /** The file system's clock is another clock on network disks; verdicts carry times. */
    private static Check clock(InstantSource source) throws java.io.IOException {
        Path probe = Files.createTempFile("bitwitness-clock", "");
        try {
            Instant file = Files.getLastModifiedTime(probe).toInstant();
            Instant now = source.instant();
            Duration apart = Duration.between(file, now).abs();
            return new Check(
                    "clock",
                    apart.compareTo(CLOCK_TOLERANCE) < 0,
                    "%s, %d ms from the file system's".formatted(now, apart.toMillis()));
        } finally {
            Files.delete(probe);
        }
    }

    private static Map<String, Object> document(List<Check> checks, Environment environment) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("passed", checks.stream().allMatch(Check::passed));
        document.put("checks", checks);
        document.put("environment", environment.facts());
        document.put("environmentDigest", environment.digest().hex());
        return document;
    }

    private static List<String> lines(List<Check> checks, Environment environment) {
        List<String> lines = new ArrayList<>();
        for (Check check : checks) {
            lines.add("%-6s %-24s %s".formatted(check.passed() ? "ok" : "FAILS", check.name(), check.found()));
        }
        environment.facts().forEach((name, value) -> lines.add("       %-24s %s".formatted(name, value)));
        lines.add("       %-24s %s".formatted("digest", environment.digest()));
        return lines;
    }
}
