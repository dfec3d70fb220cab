package org.bitwitness.cli.run;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.log.LogReader;
import org.bitwitness.attestation.log.LogSources;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.cli.run.check.CheckResult;
import org.bitwitness.cli.run.check.Difference;
import org.bitwitness.cli.run.check.RunChecks;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.cli.support.ProgressBar;
import org.bitwitness.cli.support.RuntimeNeed;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.format.RecordingReader;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bitwitness run verify}: everything that needs no arithmetic. */
@Command(
        name = "verify",
        description = "Check all of a recording that needs no arithmetic.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness run verify demo-out/run --trust demo-out/trust --log demo-out/log")
final class RunVerify extends BaseCommand {
    private static final int SHOWN_DIFFERENCES = 20;

    @Parameters(paramLabel = "RUN", description = "The folder of the recording.")
    private Path run;

    @Option(
            names = "--trust",
            paramLabel = "DIR",
            description = "Trust folder: whose commitments, which log and which witnesses count.")
    private Optional<Path> trust = Optional.empty();

    @Option(names = "--log", paramLabel = "DIR|URL", description = "Log to look the commitments up in; needs --trust.")
    private Optional<String> log = Optional.empty();

    @Override
    protected Set<RuntimeNeed> needs() {
        return EnumSet.of(RuntimeNeed.ARROW);
    }

    @Override
    protected CommandResult execute(CommandIo io)
            throws CommandFailure, ProtocolException, DatasetException, AttestationException {
        if (log.isPresent() && trust.isEmpty()) {
            throw CommandFailure.usage(
                    "--log needs --trust: a log means nothing without the witnesses that one accepts");
        }
        Optional<TrustPolicy> policy = trust.isPresent()
                ? Optional.of(CommandFailure.own(() -> TrustPolicy.load(trust.get())))
                : Optional.empty();
        RunChecks.Report report;
        try (Following following = new Following(io)) {
            report = new RunChecks(policy, openLog(policy), following).run(run);
        }
        ExitCode code = report.differs() ? ExitCode.REFUSED : report.passed() ? ExitCode.OK : ExitCode.INCONCLUSIVE;
        return CommandResult.of(code, document(report), List.of(summary(report)));
    }

    private Optional<LogReader> openLog(Optional<TrustPolicy> policy) throws AttestationException {
        if (log.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(LogReader.open(
                    LogSources.at(log.get()), policy.orElseThrow().witnesses()));
        } catch (AttestationException e) {
            throw e.in(log.get());
        }
    }

    private Map<String, Object> document(RunChecks.Report report) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("run", run.toString());
        report.reader().ifPresent(reader -> {
            document.put("runId", reader.runId().hex());
            document.put("steps", reader.stepCount());
            document.put("final", reader.last().isFinal());
            document.put("stateRoot", reader.last().stateRoot().hex());
        });
        document.put("verified", report.passed());
        document.put("checks", report.results());
        return document;
    }

    /** Shows which check runs, and its result as soon as there is one; with {@code --json} only the former. */
    private static final class Following implements RunChecks.Listener, AutoCloseable {
        private final CommandIo io;
        private ProgressBar running;

        Following(CommandIo io) {
            this.io = io;
            this.running = io.progress("verify", 0);
        }

        @Override
        public void started(String name) {
            running.close();
            running = io.progress("verify", 0);
            running.update(0, name);
        }

        @Override
        public void finished(CheckResult result) {
            running.close();
            if (!io.json()) {
                lines(result).forEach(io::say);
            }
        }

        @Override
        public void close() {
            running.close();
        }
    }

    private static List<String> lines(CheckResult result) {
        List<String> lines = new ArrayList<>();
        lines.add("%s %-15s %s".formatted(mark(result.outcome()), result.name(), result.detail()));
        List<Difference> differences = result.differences();
        differences.stream().limit(SHOWN_DIFFERENCES).forEach(difference -> lines.add("    " + difference.message()));
        if (differences.size() > SHOWN_DIFFERENCES) {
            lines.add("    and %d more: see --json".formatted(differences.size() - SHOWN_DIFFERENCES));
        }
        result.warnings().forEach(warning -> lines.add("  ! " + warning));
        return lines;
    }

    private String summary(RunChecks.Report report) {
        if (report.differs()) {
            long count = report.results().stream()
                    .mapToLong(result -> result.differences().size())
                    .sum();
            String unmade = report.reader().isPresent() ? "" : "; nothing else could be checked, so there may be more";
            return "%s is NOT what it commits to: %d difference%s%s"
                    .formatted(run, count, count == 1 ? "" : "s", unmade);
        }
        if (!report.passed()) {
            return "%s could not be verified in full".formatted(run);
        }
        RecordingReader reader = report.reader().orElseThrow();
        return "%s verified without replay: run %s, %d steps%s, state root %s"
                .formatted(
                        run,
                        reader.runId(),
                        reader.stepCount(),
                        reader.last().isFinal() ? "" : " so far",
                        reader.last().stateRoot());
    }

    private static String mark(CheckResult.Outcome outcome) {
        return switch (outcome) {
            case PASSED -> "✓";
            case DIFFERS -> "✗";
            case SKIPPED -> "-";
            case INCONCLUSIVE -> "?";
        };
    }
}
