package org.bitwitness.cli.audit;

import java.net.URI;
import java.util.Locale;
import java.util.function.Supplier;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.log.HttpLogClient;
import org.bitwitness.attestation.log.TransparencyLog;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.Verdict;

/** What the audit commands make of the words that a person typed, and of the failures that follow. */
final class AuditInputs {
    private AuditInputs() {}

    static AuditUnit unit(String text) throws CommandFailure {
        return usage(() -> AuditUnit.parse(text));
    }

    /** What a person typed, or why it cannot be used. */
    static <T> T usage(Supplier<T> parse) throws CommandFailure {
        try {
            return parse.get();
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(String.valueOf(e.getMessage()));
        }
    }

    /** A log that can be appended to: one that is served, because only its operator may write the folder. */
    static TransparencyLog writable(String log, TrustPolicy trust) throws CommandFailure {
        String lower = log.toLowerCase(Locale.ROOT);
        if (lower.startsWith("http://") || lower.startsWith("https://")) {
            return new HttpLogClient(usage(() -> URI.create(log)), trust.witnesses());
        }
        URI url = trust.witnesses().logs().stream()
                .flatMap(known -> known.url().stream())
                .findFirst()
                .orElseThrow(() -> CommandFailure.usage(
                        "verdicts are appended through the log's server: give its URL as --log, or name it in %s"
                                .formatted(TrustPolicy.POLICY_FILE)));
        return new HttpLogClient(url, trust.witnesses());
    }

    static ExitCode exitCode(ReplayReport report) {
        return exitCode(report.verdict());
    }

    static ExitCode exitCode(Verdict verdict) {
        return switch (verdict) {
            case REPRODUCED -> ExitCode.OK;
            case DIVERGED -> ExitCode.REFUSED;
            case INCONCLUSIVE -> ExitCode.INCONCLUSIVE;
        };
    }

    /** Bytes that do not hold are exit 2, what cannot be decided 3, everything else 1. */
    static CommandFailure failure(AttestationException e) {
        ExitCode code = switch (e.kind()) {
            case MALFORMED, REFUSED -> ExitCode.REFUSED;
            case INCONCLUSIVE -> ExitCode.INCONCLUSIVE;
            case ENVIRONMENT -> ExitCode.USAGE;
        };
        return new CommandFailure(code, e.getMessage(), e);
    }

    static CommandFailure failure(ProtocolException e) {
        return new CommandFailure(
                e.blamesTheBytes() ? ExitCode.REFUSED : ExitCode.USAGE, String.valueOf(e.getMessage()), e);
    }
}
