package org.bitwitness.cli.key;

import java.nio.file.Files;
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

/** {@code bitwitness key revoke}: logs that nothing a key signs from here on counts. */
@Command(
        name = "revoke",
        description = {
            "Log that a key is not to be trusted any more.",
            "What it signed and logged before this entry still counts; what comes after does not. It cannot be undone."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  bitwitness key revoke keys/me --log http://127.0.0.1:8090 --trust trust --reason 'laptop stolen'",
            "  bitwitness key revoke trust/auditors/eve.pem --by keys/registrar --log http://127.0.0.1:8090 --trust"
                    + " trust"
        })
final class KeyRevoke extends BaseCommand {
    @Parameters(index = "0", paramLabel = "KEY", description = "A key folder; with --by a public.pem is enough.")
    private Path key = Path.of("");

    @Option(names = "--reason", paramLabel = "TEXT", description = "One line for people.")
    private String reason = "";

    @Mixin
    private KeyLogging logging = new KeyLogging();

    @Override
    protected CommandResult execute(CommandIo io) throws AttestationException, CommandFailure {
        VerifyingKey revoked = CommandFailure.own(() -> KeyFolder.verifyingKeyAt(key));
        if (!Files.isDirectory(key) && !logging.hasRegistrar()) {
            throw CommandFailure.usage("a public key alone cannot sign: give the key's folder, or --by a registrar's");
        }
        KeyEventStatement.Revoke event;
        try {
            event = new KeyEventStatement.Revoke(revoked, reason);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage("--reason: " + e.getMessage());
        }
        Map<String, Object> document = logging.append(event, logging.signer(key), io);
        return CommandResult.ok(
                document,
                "key %s is revoked by log entry %s: what it signs after that counts for nothing"
                        .formatted(revoked.id(), document.get("logIndex")));
    }
}
