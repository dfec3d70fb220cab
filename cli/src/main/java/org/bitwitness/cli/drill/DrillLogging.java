package org.bitwitness.cli.drill;

import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.keys.KeyFolder;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.log.HttpLogClient;
import org.bitwitness.attestation.log.LogReader;
import org.bitwitness.attestation.log.LogReceipt;
import org.bitwitness.attestation.log.LogSource;
import org.bitwitness.attestation.log.LogSources;
import org.bitwitness.attestation.note.SignedNote;
import org.bitwitness.attestation.statement.Statement;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.verify.LogSurvey;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.Passphrases;
import picocli.CommandLine.Option;

/** Options of commands that log something about a drill, and how they do it. */
final class DrillLogging {
    private static final String CHECKPOINT = "checkpoint";

    @Option(names = "--log", required = true, paramLabel = "URL", description = "The log's server.")
    private String log = "";

    @Option(names = "--trust", required = true, paramLabel = "DIR", description = "Folder with policy.txt and keys.")
    private Path trust = Path.of("");

    @Option(
            names = "--key",
            required = true,
            paramLabel = "DIR",
            description = "Key folder that signs; the same for commitment and opening, and not the trainer's.")
    private Path key = Path.of("");

    SigningKey key() throws CommandFailure {
        return CommandFailure.own(() -> new KeyFolder(key).signingKey(Passphrases.ask()));
    }

    LogReceipt append(Statement statement, SigningKey signer) throws AttestationException, CommandFailure {
        URI url = CommandFailure.typed(() -> URI.create(log));
        return new HttpLogClient(url, policy().witnesses()).append(statement.sign(signer), signer.verifyingKey());
    }

    /** What the log says; nothing where it has published nothing yet. */
    Optional<LogSurvey> survey() throws AttestationException, CommandFailure {
        return survey(log, policy());
    }

    /** @param log should be a server, since something is to be appended */
    static Optional<LogSurvey> survey(String log, TrustPolicy policy) throws AttestationException, CommandFailure {
        if (!LogSources.isUrl(log)) {
            throw CommandFailure.usage(
                    "--log should be the URL of the log's server: only its operator writes the folder");
        }
        LogSource source = LogSources.at(log);
        if (source.read(CHECKPOINT, SignedNote.MAX_BYTES).isEmpty()) {
            return Optional.empty();
        }
        LogSurvey survey = LogSurvey.read(LogReader.open(source, policy.witnesses()), policy);
        survey.requireComplete();
        return Optional.of(survey);
    }

    private TrustPolicy policy() throws CommandFailure {
        return CommandFailure.own(() -> TrustPolicy.load(trust));
    }
}
