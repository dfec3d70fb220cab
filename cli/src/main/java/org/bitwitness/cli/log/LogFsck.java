package org.bitwitness.cli.log;

import java.util.List;
import java.util.Map;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.log.LogSources;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code bitwitness log fsck}: derives a whole log again from its entries. */
@Command(
        name = "fsck",
        description = {
            "Derive a whole log again from its entries and compare every file.",
            "Exit 2 names the first file or entry that differs; exit 3 lists entries whose payload is missing."
        },
        footerHeading = "%nExample:%n",
        footer = "  bitwitness log fsck demo-out/log")
final class LogFsck extends BaseCommand {
    @Parameters(paramLabel = "LOG", description = "Folder or URL of the log.")
    private String log = "";

    @Mixin
    private LogTrust trust = new LogTrust();

    @Override
    protected CommandResult execute(CommandIo io) throws AttestationException, CommandFailure {
        org.bitwitness.attestation.log.LogFsck.Report report =
                org.bitwitness.attestation.log.LogFsck.check(LogSources.at(log), trust.forLog(log));
        Map<String, Object> document = LogSummary.of(report.checkpoint());
        document.put("derivedRoot", report.derivedRoot().hex());
        document.put("missingPayloads", report.missingPayloads());
        String derived = "%d entries give root %s, as the cosigned checkpoint says"
                .formatted(report.checkpoint().checkpoint().size(), report.derivedRoot());
        if (report.missingPayloads().isEmpty()) {
            return CommandResult.of(ExitCode.OK, document, List.of(derived, "every payload is there"));
        }
        return CommandResult.of(
                ExitCode.INCONCLUSIVE,
                document,
                List.of(
                        derived,
                        "payloads are missing for entries " + report.missingPayloads()
                                + ": what rests on this log is inconclusive"));
    }
}
