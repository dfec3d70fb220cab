package org.bitwitness.cli.monitor;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.WholeFile;
import org.bitwitness.attestation.http.HttpClients;
import org.bitwitness.attestation.log.LogSource;
import org.bitwitness.attestation.log.LogSources;
import org.bitwitness.attestation.monitor.Alert;
import org.bitwitness.attestation.monitor.LogMonitor;
import org.bitwitness.attestation.monitor.MonitorState;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.verify.RunSummary;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bitwitness monitor}: watches a log from outside. */
@Command(
        name = "monitor",
        description = {
            "Watch a log: derive it again, compare it with what was seen before and with other copies.",
            "Exit 2 on an alert: a fork, a log cut back, a checkpoint that is not witnessed or stands still, damage, a"
                    + " verdict that vanished. Without --once it looks again every --every seconds until an alert."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  bitwitness monitor --log https://log.example --trust trust --state log.state --once",
            "  bitwitness monitor --log log --trust trust --state log.state --compare https://mirror.example"
        })
public final class MonitorCommand extends BaseCommand {
    private static final int MAX_INDEX_BYTES = 64 << 20;
    private static final Pattern LOG_INDEX = Pattern.compile("\"logIndex\"\\s*:\\s*\"?([0-9]{1,18})\\b");

    @Option(names = "--log", required = true, paramLabel = "DIR|URL", description = "The log to watch.")
    private String log = "";

    @Option(names = "--trust", required = true, paramLabel = "DIR", description = "Folder with policy.txt and keys.")
    private Path trust = Path.of("");

    @Option(
            names = "--state",
            required = true,
            paramLabel = "FILE",
            description = "What was seen; made by the first look. Keep it: after a fork it is the evidence.")
    private Path state = Path.of("");

    @Option(names = "--compare", paramLabel = "DIR|URL", description = "Another copy of the same log. May be repeated.")
    private List<String> others = List.of();

    @Option(
            names = "--index",
            paramLabel = "FILE|URL",
            description = "A JSON document that should list every verdict's logIndex, such as the portal's answer about"
                    + " a run. May be repeated: together they should list all.")
    private List<String> indexes = List.of();

    @Option(
            names = "--max-age",
            paramLabel = "DURATION",
            defaultValue = "PT24H",
            description = "Age from which the newest cosignature is stale, like PT1H (default ${DEFAULT-VALUE}).")
    private String maxAge = "PT24H";

    @Option(names = "--once", description = "Look once.")
    private boolean once;

    @Option(
            names = "--every",
            paramLabel = "SECONDS",
            defaultValue = "60",
            description = "Seconds between two looks (default ${DEFAULT-VALUE}).")
    private int every;

    @Override
    protected CommandResult execute(CommandIo io) throws Exception {
        if (every < 1) {
            throw CommandFailure.usage("--every should be 1 or more");
        }
        TrustPolicy policy = policy();
        LogMonitor.Limits limits = new LogMonitor.Limits(InstantSource.system(), age());
        while (true) {
            try {
                CommandResult result = look(policy, limits);
                if (once || result.exitCode() != ExitCode.OK) {
                    return result;
                }
                result.lines().forEach(io::note);
            } catch (AttestationException e) {
                if (once || e.kind() != AttestationException.Kind.ENVIRONMENT) {
                    throw e;
                }
                io.note("cannot look: " + e.getMessage());
            }
            Thread.sleep(Duration.ofSeconds(every));
        }
    }

    private TrustPolicy policy() throws CommandFailure {
        return CommandFailure.own(() -> TrustPolicy.load(trust));
    }

    private Duration age() throws CommandFailure {
        try {
            return Duration.parse(maxAge);
        } catch (DateTimeParseException e) {
            throw CommandFailure.usage("--max-age should be like PT24H, got " + maxAge);
        }
    }

    /** A state file that cannot be read is trouble of this machine: the log was not looked at, so nothing is known of it. */
    private Optional<MonitorState> before() throws CommandFailure, IOException {
        if (!Files.exists(state)) {
            return Optional.empty();
        }
        byte[] bytes = Files.readAllBytes(state);
        try {
            return Optional.of(MonitorState.parse(bytes));
        } catch (AttestationException e) {
            throw new CommandFailure(
                    ExitCode.USAGE,
                    "--state %s is not what a monitor wrote (%s): the log was not looked at. Put a good copy of the file in"
                                    .formatted(state, e.getMessage())
                            + " its place; without one name a new file, which sees no fork older than itself",
                    e);
        }
    }

    private CommandResult look(TrustPolicy policy, LogMonitor.Limits limits)
            throws AttestationException, CommandFailure, IOException {
        Optional<MonitorState> before = before();
        List<LogSource> copies = new ArrayList<>();
        for (String other : others) {
            copies.add(LogSources.at(other));
        }
        LogMonitor.Report report = LogMonitor.look(LogSources.at(log), policy, limits, before, copies);
        List<Alert> alerts = new ArrayList<>(report.alerts());
        if (report.next().isPresent()) {
            if (!indexes.isEmpty()) {
                alerts.addAll(LogMonitor.leftOut(report.next().get(), shown(), String.join(" and ", indexes)));
            }
            WholeFile.write(state, report.next().get().toBytes());
        }
        return result(report, alerts);
    }

    private static CommandResult result(LogMonitor.Report report, List<Alert> alerts) {
        Map<String, Object> document = new LinkedHashMap<>();
        List<String> lines = new ArrayList<>();
        report.checkpoint().ifPresent(checkpoint -> {
            document.put("origin", checkpoint.checkpoint().origin());
            document.put("size", checkpoint.checkpoint().size());
            document.put("root", checkpoint.checkpoint().root().hex());
            lines.add("%s: %d entries, cosigned by %s; %d new verdicts, %d of them DIVERGED"
                    .formatted(
                            checkpoint.checkpoint().origin(),
                            checkpoint.checkpoint().size(),
                            RunSummary.witnesses(checkpoint),
                            report.newVerdicts(),
                            report.diverged()));
        });
        document.put("newVerdicts", report.newVerdicts());
        document.put("diverged", report.diverged());
        List<Map<String, String>> list = new ArrayList<>();
        for (Alert alert : alerts) {
            list.add(Map.of("kind", alert.kind().name(), "message", alert.message()));
            lines.add("ALERT %s: %s".formatted(alert.kind(), alert.message()));
        }
        document.put("alerts", list);
        return CommandResult.of(alerts.isEmpty() ? ExitCode.OK : ExitCode.REFUSED, document, lines);
    }

    /** Every log index that the documents name, whatever else they hold. */
    private Set<Long> shown() throws AttestationException, IOException {
        Set<Long> shown = new HashSet<>();
        for (String index : indexes) {
            Matcher found = LOG_INDEX.matcher(read(index));
            while (found.find()) {
                shown.add(Long.parseLong(found.group(1)));
            }
        }
        return shown;
    }

    private static String read(String index) throws AttestationException, IOException {
        if (!index.contains("://")) {
            return Files.readString(Path.of(index), StandardCharsets.UTF_8);
        }
        HttpClients.Answer answer = HttpClients.get(URI.create(index), MAX_INDEX_BYTES);
        if (answer.status() != 200) {
            throw AttestationException.environment("GET %s: status %d".formatted(index, answer.status()));
        }
        return new String(answer.body(), StandardCharsets.UTF_8);
    }
}
