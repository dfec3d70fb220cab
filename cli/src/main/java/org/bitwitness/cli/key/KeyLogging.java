package org.bitwitness.cli.key;

import java.net.URI;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.keys.KeyFolder;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.log.HttpLogClient;
import org.bitwitness.attestation.log.LogReader;
import org.bitwitness.attestation.log.LogReceipt;
import org.bitwitness.attestation.log.LogSources;
import org.bitwitness.attestation.statement.KeyEventStatement;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.verify.LogSurvey;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.Passphrases;
import picocli.CommandLine.Option;

/** Options of commands that log what happened to a key, and how they do it. */
final class KeyLogging {
    @Option(names = "--log", required = true, paramLabel = "URL", description = "The log's server.")
    private String log = "";

    @Option(names = "--trust", required = true, paramLabel = "DIR", description = "Folder with policy.txt and keys.")
    private Path trust = Path.of("");

    @Option(
            names = "--by",
            paramLabel = "DIR",
            description = "Key folder of a registrar that signs; without it the key itself does.")
    private Optional<Path> by = Optional.empty();

    /** Whether a registrar was named. */
    boolean hasRegistrar() {
        return by.isPresent();
    }

    /** The registrar's key, or the key's own. */
    SigningKey signer(Path own) throws CommandFailure {
        return CommandFailure.own(() -> new KeyFolder(by.orElse(own)).signingKey(Passphrases.ask()));
    }

    /**
     * Logs an event, and says so if it has no effect for readers with this trust folder.
     *
     * @return the document for {@code --json}
     */
    Map<String, Object> append(KeyEventStatement.KeyEvent event, SigningKey signer, CommandIo io)
            throws AttestationException, CommandFailure {
        if (!LogSources.isUrl(log)) {
            throw CommandFailure.usage(
                    "--log should be the URL of the log's server: only its operator writes the folder");
        }
        TrustPolicy policy = CommandFailure.own(() -> TrustPolicy.load(trust));
        URI url = CommandFailure.typed(() -> URI.create(log));
        LogReceipt receipt = new HttpLogClient(url, policy.witnesses())
                .append(new KeyEventStatement(event).toStatement().sign(signer), signer.verifyingKey());
        LogSurvey survey = LogSurvey.read(LogReader.open(LogSources.at(log), policy.witnesses()), policy);
        survey.registry().ignored().stream()
                .filter(ignored -> ignored.index() == receipt.index())
                .forEach(ignored -> io.note("warning: without effect for this trust folder: " + ignored.why()));
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("key", event.key().id().hex());
        document.put("logIndex", receipt.index());
        return document;
    }
}
