package org.bitwitness.cli.key;

import java.nio.file.Path;
import java.util.Map;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.keys.KeyFolder;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.attestation.statement.KeyEventStatement;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bitwitness key enrol}: a registrar takes up an auditor, in the log. */
@Command(
        name = "enrol",
        description = {
            "Log that a registrar takes up an auditor's key.",
            "It counts for whoever has the registrar's key in trust/registrars/, and for commitments that are logged"
                    + " after this entry: nobody can make keys until one draws the units they like."
        },
        footerHeading = "%nExample:%n",
        footer = "  bitwitness key enrol carol.pem --name carol --by keys/registrar --log http://127.0.0.1:8090"
                + " --trust trust")
final class KeyEnrol extends BaseCommand {
    @Parameters(index = "0", paramLabel = "KEY", description = "The auditor's public.pem, or its folder.")
    private Path key = Path.of("");

    @Option(names = "--name", required = true, paramLabel = "NAME", description = "What reports call the auditor.")
    private String name = "";

    @Mixin
    private KeyLogging logging = new KeyLogging();

    @Override
    protected CommandResult execute(CommandIo io) throws AttestationException, CommandFailure {
        if (!logging.hasRegistrar()) {
            throw CommandFailure.usage("nobody enrols themselves: give --by, a registrar's key folder");
        }
        VerifyingKey enrolled = CommandFailure.own(() -> KeyFolder.verifyingKeyAt(key));
        KeyEventStatement.Enrol event;
        try {
            event = new KeyEventStatement.Enrol(enrolled, name);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage("--name: " + e.getMessage());
        }
        Map<String, Object> document = logging.append(event, logging.signer(key), io);
        return CommandResult.ok(
                document,
                "key %s is auditor %s from log entry %s".formatted(enrolled.id(), name, document.get("logIndex")));
    }
}
