package org.bitwitness.cli.log;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.dsse.LogEntry;
import org.bitwitness.attestation.log.LogReader;
import org.bitwitness.attestation.log.LogSources;
import org.bitwitness.attestation.statement.Statement;
import org.bitwitness.attestation.trust.VerifiedCheckpoint;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bitwitness log show}: the checkpoint, who cosigned it, and the entries. */
@Command(
        name = "show",
        description = {
            "Show a log's verified checkpoint and its entries.",
            "Exit 3 if a payload is missing: answers that rest on this log are then inconclusive."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  bitwitness log show demo-out/log",
            "  bitwitness log show http://127.0.0.1:8080 --trust trust --from 10 --limit 5"
        })
final class LogShow extends BaseCommand {
    @Parameters(paramLabel = "LOG", description = "Folder or URL of the log.")
    private String log = "";

    @Option(
            names = "--from",
            paramLabel = "N",
            defaultValue = "0",
            description = "First entry to list (default: ${DEFAULT-VALUE}).")
    private long from;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Entries to list at most (default: ${DEFAULT-VALUE}).")
    private long limit;

    @Mixin
    private LogTrust trust = new LogTrust();

    @Override
    protected CommandResult execute(CommandIo io) throws AttestationException, CommandFailure {
        if (from < 0 || limit < 0) {
            throw CommandFailure.usage("--from and --limit are 0 or more");
        }
        LogReader reader = LogReader.open(LogSources.at(log), trust.forLog(log));
        List<Map<String, Object>> entries = new ArrayList<>();
        List<Long> missing = new ArrayList<>();
        List<String> lines = new ArrayList<>(head(reader));
        reader.visit(from, (index, entry, payload) -> {
            if (payload.isEmpty()) {
                missing.add(index);
            }
            if (index - from < limit) {
                entries.add(entry(index, entry, payload));
                lines.add("%6d  %-22s %s  key %s"
                        .formatted(
                                index,
                                payload.isEmpty() ? "PAYLOAD MISSING" : shortType(entry, payload.get()),
                                entry.digest().hex().substring(0, 16),
                                entry.key().id().hex().substring(0, 16)));
            }
        });
        if (!missing.isEmpty()) {
            lines.add("payloads missing for entries " + missing + ": what rests on this log is inconclusive");
        }
        Map<String, Object> document = LogSummary.of(reader.checkpoint());
        document.put("entries", entries);
        document.put("missingPayloads", missing);
        return CommandResult.of(missing.isEmpty() ? ExitCode.OK : ExitCode.INCONCLUSIVE, document, lines);
    }

    private static List<String> head(LogReader reader) {
        VerifiedCheckpoint checkpoint = reader.checkpoint();
        List<String> lines = new ArrayList<>();
        lines.add("log      " + reader.origin());
        lines.add("entries  " + reader.size());
        lines.add("root     " + checkpoint.checkpoint().root());
        checkpoint
                .cosignatures()
                .forEach((witness, time) -> lines.add("cosigned by %s (%s) at %s"
                        .formatted(witness.name(), witness.key().name(), time)));
        return lines;
    }

    private static Map<String, Object> entry(long index, LogEntry entry, Optional<byte[]> payload) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("index", index);
        document.put("kind", entry.kind().word());
        document.put("digest", entry.digest().hex());
        document.put("key", entry.key().id().hex());
        document.put("payloadPresent", payload.isPresent());
        document.put("predicateType", payload.flatMap(bytes -> predicateType(entry, bytes)));
        return document;
    }

    private static String shortType(LogEntry entry, byte[] payload) {
        return predicateType(entry, payload)
                .map(type -> type.replaceFirst("^.*/([^/]+/v[^/]+)$", "$1"))
                .orElse("(not a statement)");
    }

    /** Empty for a payload that is no in-toto statement; logs hold what their clients sign. */
    private static Optional<String> predicateType(LogEntry entry, byte[] payload) {
        try {
            return Optional.of(Statement.parse(entry.verified(payload)).predicateType());
        } catch (AttestationException otherPayload) {
            return Optional.empty();
        }
    }
}
