package org.bitwitness.cli.log;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.log.LogCopy;
import org.bitwitness.attestation.log.LogReader;
import org.bitwitness.attestation.log.LogSources;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bitwitness log export}: a verified copy for a static host. */
@Command(
        name = "export",
        description = {
            "Copy a log, verifying every entry, into a new folder that any static host can serve.",
            "Exit 3 if the log lacks a payload; the copy is written all the same."
        },
        footerHeading = "%nExample:%n",
        footer = "  bitwitness log export http://127.0.0.1:8080 --trust trust --out mirror")
final class LogExport extends BaseCommand {
    @Parameters(paramLabel = "LOG", description = "Folder or URL of the log.")
    private String log = "";

    @Option(names = "--out", required = true, paramLabel = "DIR", description = "The folder to make.")
    private Path out = Path.of("");

    @Mixin
    private LogTrust trust = new LogTrust();

    @Override
    protected CommandResult execute(CommandIo io) throws AttestationException, CommandFailure {
        LogReader reader = LogReader.open(LogSources.at(log), trust.forLog(log));
        LogCopy.Report report = LogCopy.copy(reader, out);
        Map<String, Object> document = LogSummary.of(reader.checkpoint());
        document.put("out", out.toString());
        document.put("missingPayloads", report.missingPayloads());
        List<String> lines = new ArrayList<>();
        lines.add("copied %d entries of %s to %s".formatted(report.entries(), reader.origin(), out));
        if (!report.missingPayloads().isEmpty()) {
            lines.add("the log has no payloads for entries " + report.missingPayloads());
        }
        return CommandResult.of(
                report.missingPayloads().isEmpty() ? ExitCode.OK : ExitCode.INCONCLUSIVE, document, lines);
    }
}
