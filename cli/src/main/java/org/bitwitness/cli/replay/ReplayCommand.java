package org.bitwitness.cli.replay;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.cli.support.ProgressBar;
import org.bitwitness.cli.support.RuntimeNeed;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.format.ReplayReportJson;
import org.bitwitness.replayer.CommittedRun;
import org.bitwitness.replayer.EngineFactory;
import org.bitwitness.replayer.ReplayException;
import org.bitwitness.replayer.ReplayOptions;
import org.bitwitness.replayer.ReplaySalt;
import org.bitwitness.replayer.UnitReplayer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bitwitness replay}: one unit of a recording, computed again and compared bit for bit. */
@Command(
        name = "replay",
        description = {
            "Replay one unit of a recording and compare the bits.",
            "Exit 0: reproduced; 2: diverged; 3: inconclusive; 1: nothing was judged."
        },
        footerHeading = "%nExample:%n",
        footer = "  bitwitness replay demo-out/run --unit \"STEP(17)\"")
public final class ReplayCommand extends BaseCommand {
    @Parameters(paramLabel = "RUN", description = "Folder of the recording.")
    private Path run = Path.of("");

    @Option(
            names = "--unit",
            required = true,
            paramLabel = "U",
            description = {
                "INIT, DATA(shard-00000), GRADIENT(17,2), REDUCE(17),",
                "UPDATE(17), STEP(17), SEGMENT(10,20) or FINAL."
            })
    private String unit = "";

    @Option(names = "--backend", paramLabel = "B", description = "Who computes: vector (default) or reference.")
    private String backend = BackendId.VECTOR.text();

    @Option(names = "--threads", paramLabel = "N", description = "Threads; no bit depends on it. Default: all cores.")
    private int threads = Runtime.getRuntime().availableProcessors();

    @Override
    protected Set<RuntimeNeed> needs() {
        return Set.of(RuntimeNeed.ARROW, RuntimeNeed.VECTOR);
    }

    @Override
    protected CommandResult execute(CommandIo io) throws Exception {
        AuditUnit parsed = usage(() -> AuditUnit.parse(unit));
        BackendId id = usage(() -> BackendId.parse(backend));
        if (threads < 1) {
            throw CommandFailure.usage("--threads should be at least 1, is " + threads);
        }
        try {
            return replay(io, parsed, id);
        } catch (ReplayException e) {
            throw new CommandFailure(
                    e.blamesTheBytes() ? ExitCode.REFUSED : ExitCode.USAGE, String.valueOf(e.getMessage()), e);
        }
    }

    private CommandResult replay(CommandIo io, AuditUnit parsed, BackendId id) throws ReplayException {
        try (CommittedRun recording = CommittedRun.open(run, Optional.empty())) {
            ReplayOptions options = new ReplayOptions(id, threads, ReplaySalt.NONE);
            UnitReplayer replayer =
                    new UnitReplayer(recording, EngineFactory.STANDARD, options, InstantSource.system());
            ReplayReport report;
            try (ProgressBar bar = io.progress("replay " + parsed.text(), 0)) {
                report = replayer.replay(parsed, (done, total, note) -> bar.update(done, "of " + total + ", " + note));
            }
            return CommandResult.of(
                    exitCode(report.verdict()),
                    ReplayReportJson.toJson(report),
                    ReplayText.lines(report, recording, run, threads));
        }
    }

    private static ExitCode exitCode(Verdict verdict) {
        return switch (verdict) {
            case REPRODUCED -> ExitCode.OK;
            case DIVERGED -> ExitCode.REFUSED;
            case INCONCLUSIVE -> ExitCode.INCONCLUSIVE;
        };
    }

    /** What a person typed, or why it cannot be used. */
    private static <T> T usage(java.util.function.Supplier<T> parse) throws CommandFailure {
        try {
            return parse.get();
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(String.valueOf(e.getMessage()));
        }
    }
}
