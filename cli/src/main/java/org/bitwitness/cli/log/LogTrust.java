package org.bitwitness.cli.log;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.trust.WitnessPolicy;
import org.bitwitness.cli.support.CommandFailure;
import picocli.CommandLine.Option;

/** Whom a command about a log trusts: a trust folder, or a policy file alone. */
final class LogTrust {
    @Option(
            names = "--trust",
            paramLabel = "DIR",
            description = "Trust folder; the default is the folder trust beside a log folder.")
    private Optional<Path> trust = Optional.empty();

    @Option(
            names = "--policy",
            paramLabel = "FILE",
            description = "A policy file alone, instead of a trust folder; any quorum, also none.")
    private Optional<Path> policy = Optional.empty();

    /**
     * The policy to verify under.
     *
     * @param log folder or URL that the command is about
     */
    WitnessPolicy forLog(String log) throws CommandFailure {
        if (trust.isPresent() && policy.isPresent()) {
            throw CommandFailure.usage("give --trust or --policy, not both");
        }
        try {
            if (policy.isPresent()) {
                return TrustPolicy.readPolicy(policy.get());
            }
            return TrustPolicy.load(folder(log)).witnesses();
        } catch (AttestationException e) {
            throw new CommandFailure(
                    org.bitwitness.cli.support.ExitCode.USAGE, "nothing was judged: " + e.getMessage(), e);
        }
    }

    private Path folder(String log) throws CommandFailure {
        if (trust.isPresent()) {
            return trust.get();
        }
        if (!log.contains("://")) {
            Path beside = Path.of(log).toAbsolutePath().normalize().resolveSibling("trust");
            if (Files.isDirectory(beside)) {
                return beside;
            }
        }
        throw CommandFailure.usage(
                "say which log and which witnesses you trust: --trust DIR, or --policy FILE (there is no folder trust beside the log)");
    }
}
