package org.bitwitness.cli.key;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Map;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.keys.KeyFolder;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.statement.KeyEventStatement;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.Passphrases;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bitwitness key rotate}: makes a new key and logs that it takes over. */
@Command(
        name = "rotate",
        description = {
            "Replace a key and log the handover.",
            "From that entry on the new key has the old one's name and trust, and the old one has none. An auditor's"
                    + " new key draws units of commitments that are logged later; a run stays with the key that opened it."
        },
        footerHeading = "%nExample:%n",
        footer = "  bitwitness key rotate keys/me --out keys/me-2 --log http://127.0.0.1:8090 --trust trust")
final class KeyRotate extends BaseCommand {
    @Parameters(index = "0", paramLabel = "KEY", description = "The folder of the key that hands over.")
    private Path key = Path.of("");

    @Option(
            names = "--out",
            required = true,
            paramLabel = "DIR",
            description = "The folder to make; one that an earlier, failed call made is used.")
    private Path out = Path.of("");

    @Option(names = "--encrypt", description = "Protect the new private key with a passphrase.")
    private boolean encrypt;

    @Mixin
    private KeyLogging logging = new KeyLogging();

    @Override
    protected CommandResult execute(CommandIo io) throws AttestationException, CommandFailure {
        KeyFolder old = new KeyFolder(key);
        SigningKey signer = logging.signer(key);
        SigningKey successor = successor();
        Map<String, Object> document =
                logging.append(KeyEventStatement.Rotate.of(old.verifyingKey(), successor), signer, io);
        document.put("successor", successor.verifyingKey().id().hex());
        return CommandResult.ok(
                document,
                "key %s hands over to %s (%s) by log entry %s"
                        .formatted(
                                old.verifyingKey().id(),
                                successor.verifyingKey().id(),
                                out,
                                document.get("logIndex")));
    }

    private SigningKey successor() throws AttestationException, CommandFailure {
        if (Files.isDirectory(out)) {
            return new KeyFolder(out).signingKey(Passphrases.ask());
        }
        SigningKey made = SigningKey.generate(new SecureRandom());
        if (encrypt) {
            KeyFolder.create(out, made, Passphrases.choose(out));
        } else {
            KeyFolder.create(out, made);
        }
        return made;
    }
}
