package org.bitwitness.cli.run.check;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.log.LogReader;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.datasets.Dataset;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.format.RecordingPaths;
import org.bitwitness.protocol.format.RecordingReader;

/** Runs every check over a recording. One that fails does not keep the others from looking. */
public final class RunChecks {
    private final Optional<TrustPolicy> trust;
    private final Optional<LogReader> log;
    private final Listener listener;

    /**
     * Checks with somebody's trust.
     *
     * @param listener is told of every check as it starts and as it ends
     */
    public RunChecks(Optional<TrustPolicy> trust, Optional<LogReader> log, Listener listener) {
        this.trust = trust;
        this.log = log;
        this.listener = listener;
    }

    /** Who follows the checks while they run. */
    @FunctionalInterface
    public interface Listener {
        void started(String name);

        default void finished(CheckResult result) {}
    }

    /**
     * Everything that was found.
     *
     * @param reader empty when the recording could not even be opened
     */
    public record Report(Optional<RecordingReader> reader, List<CheckResult> results) {
        public Report {
            results = List.copyOf(results);
        }

        /** True when every check passed, or was not asked for. */
        public boolean passed() {
            return results.stream()
                    .allMatch(result -> result.outcome() == CheckResult.Outcome.PASSED
                            || result.outcome() == CheckResult.Outcome.SKIPPED);
        }

        public boolean differs() {
            return results.stream().anyMatch(result -> result.outcome() == CheckResult.Outcome.DIFFERS);
        }
    }

    /**
     * Checks a recording.
     *
     * @throws ProtocolException, DatasetException, AttestationException only when the machine is at fault
     */
    public Report run(Path folder) throws ProtocolException, DatasetException, AttestationException {
        listener.started("structure");
        RecordingReader reader;
        try {
            reader = RecordingReader.open(folder);
        } catch (ProtocolException e) {
            if (!e.blamesTheBytes()) {
                throw e;
            }
            Findings findings = new Findings();
            findings.add(Difference.refused(firstWord(e.getMessage()), e.getMessage()));
            return new Report(Optional.empty(), unopened(findings.stopped("structure", "cannot be opened")));
        }
        Optional<Dataset> dataset = open(folder);
        try {
            Subject subject = new Subject(folder, reader, dataset, trust, log);
            List<CheckResult> results = new ArrayList<>();
            for (Check check : checks()) {
                listener.started(check.name());
                add(results, run(check, subject));
            }
            if (log.isEmpty()) {
                add(results, skipped("log", "not asked for: give --log and --trust"));
            }
            return new Report(Optional.of(reader), results);
        } finally {
            if (dataset.isPresent()) {
                dataset.get().close();
            }
        }
    }

    /** What could not be opened cannot be looked into; each check that was not made is named. */
    private List<CheckResult> unopened(CheckResult structure) {
        List<CheckResult> results = new ArrayList<>();
        add(results, structure);
        checks().forEach(check -> add(results, skipped(check.name(), "not made: the recording cannot be opened")));
        return results;
    }

    private void add(List<CheckResult> results, CheckResult result) {
        results.add(result);
        listener.finished(result);
    }

    private static CheckResult skipped(String name, String why) {
        return new CheckResult(name, CheckResult.Outcome.SKIPPED, why, List.of(), List.of());
    }

    private List<Check> checks() {
        List<Check> checks = new ArrayList<>(List.of(
                new FilesCheck(),
                new CommitmentsCheck(),
                new DatasetCheck(),
                new StepsCheck(),
                new BatchesCheck(),
                new TracesCheck(),
                new DetectorsCheck(),
                new UpdatesCheck(),
                new StatesCheck(),
                new ReleasedCheck()));
        if (log.isPresent()) {
            checks.add(new LogCheck());
        }
        return checks;
    }

    private static CheckResult run(Check check, Subject subject)
            throws ProtocolException, DatasetException, AttestationException {
        Findings findings = new Findings();
        try {
            String detail = check.run(subject, findings);
            return findings.result(check.name(), detail);
        } catch (ProtocolException e) {
            if (!e.blamesTheBytes()) {
                throw e;
            }
            findings.add(refused(check, e.getMessage()));
        } catch (DatasetException e) {
            if (!e.blamesTheBytes()) {
                throw e;
            }
            findings.add(refused(check, e.getMessage()));
        } catch (AttestationException e) {
            switch (e.kind()) {
                case MALFORMED, REFUSED -> findings.add(refused(check, e.getMessage()));
                case INCONCLUSIVE -> findings.inconclusive(e.getMessage());
                case ENVIRONMENT -> throw e;
            }
        } catch (IllegalArgumentException e) {
            // A record of ours refused a value that only a damaged file can hold.
            findings.add(refused(check, String.valueOf(e.getMessage())));
        }
        return findings.stopped(check.name(), "stopped at the first thing that cannot be read");
    }

    private static Difference refused(Check check, String message) {
        String first = firstWord(message);
        boolean namesFile = first.contains("/") || first.contains(".");
        return Difference.refused(namesFile ? first : check.file(), message);
    }

    /** Readers begin a message with the file it is about and a colon. */
    private static String firstWord(String message) {
        int end = 0;
        while (end < message.length() && message.charAt(end) != ' ' && message.charAt(end) != ':') {
            end++;
        }
        return message.substring(0, end);
    }

    private static Optional<Dataset> open(Path folder) throws DatasetException {
        try {
            return Optional.of(Dataset.open(folder.resolve(RecordingPaths.DATASET)));
        } catch (DatasetException e) {
            // The dataset's own check tells.
            return Optional.empty();
        }
    }
}
