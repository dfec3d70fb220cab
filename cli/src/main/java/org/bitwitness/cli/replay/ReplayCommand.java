package org.bitwitness.cli.replay;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import org.bitwitness.cli.support.BackendOptions;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.cli.support.ProgressBar;
import org.bitwitness.cli.support.RuntimeNeed;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.format.ReplayReportJson;
import org.bitwitness.replayer.CommittedRun;
import org.bitwitness.replayer.EngineFactory;
import org.bitwitness.replayer.ReplayException;
import org.bitwitness.replayer.ReplayOptions;
import org.bitwitness.replayer.ReplaySalt;
import org.bitwitness.replayer.UnitReplayer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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

    @Mixin
    private BackendOptions backend = new BackendOptions();

    @Override
    protected Set<RuntimeNeed> needs() {
        return Set.of(RuntimeNeed.ARROW, RuntimeNeed.VECTOR);
    }

    @Override
    protected CommandResult execute(CommandIo io) throws Exception {
        AuditUnit parsed = CommandFailure.typed(() -> AuditUnit.parse(unit));
        return replay(io, parsed, new ReplayOptions(backend.id(), backend.threads(), ReplaySalt.NONE));
    }

    private CommandResult replay(CommandIo io, AuditUnit parsed, ReplayOptions options) throws ReplayException {
        try (CommittedRun recording = CommittedRun.open(run, Optional.empty())) {
            UnitReplayer replayer =
                    new UnitReplayer(recording, EngineFactory.STANDARD, options, InstantSource.system());
            ReplayReport report;
            try (ProgressBar bar = io.progress("replay " + parsed.text(), 0)) {
                report = replayer.replay(parsed, (done, total, note) -> bar.update(done, "of " + total + ", " + note));
            }
            return CommandResult.of(
                    ExitCode.of(report.verdict()),
                    ReplayReportJson.toJson(report),
                    ReplayText.lines(report, recording, run, options.threads()));
        }
    }
}
