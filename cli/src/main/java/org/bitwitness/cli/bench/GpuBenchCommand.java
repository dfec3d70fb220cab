package org.bitwitness.cli.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.bitwitness.cli.support.BackendOptions;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.cli.support.JsonOutput;
import org.bitwitness.cli.support.RuntimeNeed;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.gpu.backend.GpuBackend;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bitwitness bench-gpu}: one part of what {@code benchmarks/gpu/run} measures, and its report over all parts. */
@Command(
        name = "bench-gpu",
        hidden = true,
        description = {
            "Measure one part on a GPU, or report on all; called by benchmarks/gpu/run.",
            "Parts: device, gemm, step-124m, step-1600m, hash, emulator, report."
        },
        footerHeading = "%nExample:%n",
        footer = "  bitwitness bench-gpu gemm --backend ptx-emulator --quick")
public final class GpuBenchCommand extends BaseCommand {
    @Parameters(paramLabel = "PART", description = "What to measure.")
    private String part = "";

    @Mixin
    private BackendOptions backend = new BackendOptions();

    @Option(names = "--quick", description = "Tiny sizes, for a device that is emulated.")
    private boolean quick;

    @Option(names = "--out", paramLabel = "FILE", description = "Write the rows as JSON to this file too.")
    private Optional<Path> out = Optional.empty();

    @Option(names = "--from", paramLabel = "DIR", description = "Where report finds the parts' results.")
    private Optional<Path> from = Optional.empty();

    @Override
    protected Set<RuntimeNeed> needs() {
        return Set.of(RuntimeNeed.VECTOR);
    }

    @Override
    protected CommandResult execute(CommandIo io) throws Exception {
        if (part.equals("report")) {
            return GpuReport.of(from.orElseThrow(() -> CommandFailure.usage("report needs --from DIR")), out);
        }
        if (part.equals("emulator")) {
            return result(GpuMeasurements.emulator());
        }
        if (!backend.id().onlyOnRequest()) {
            throw CommandFailure.usage("bench-gpu needs --backend cuda or ptx-emulator, got " + backend.id());
        }
        try (Backend made = backend.create()) {
            if (!(made instanceof GpuBackend device)) {
                throw new IllegalStateException(backend.id() + " is not a device");
            }
            return measured(device);
        }
    }

    private CommandResult measured(GpuBackend device) throws Exception {
        return switch (part) {
            case "device" -> CommandResult.of(ExitCode.OK, device.describe(), List.of(device.describe()));
            case "gemm" -> result(GpuMeasurements.gemm(device, quick));
            case "step-124m" -> result(GpuMeasurements.step(device, quick ? StepSize.GPT_TINY : StepSize.GPT_124M, 3));
            case "step-1600m" ->
                result(GpuMeasurements.step(device, quick ? StepSize.GPT_TINY : StepSize.GPT_1600M, 1));
            case "hash" -> result(GpuMeasurements.hash(device, quick));
            default -> throw CommandFailure.usage("no part '" + part + "'; bitwitness bench-gpu --help lists them");
        };
    }

    private CommandResult result(List<GpuRow> rows) throws Exception {
        if (out.isPresent()) {
            Files.writeString(out.get(), JsonOutput.write(rows) + "\n");
        }
        List<String> lines = new ArrayList<>();
        rows.forEach(
                row -> lines.add(String.format(Locale.ROOT, "%-28s %.4g %s", row.name(), row.value(), row.unit())));
        return CommandResult.of(ExitCode.OK, rows, lines);
    }
}
