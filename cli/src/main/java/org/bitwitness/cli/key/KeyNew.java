package org.bitwitness.cli.key;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.keys.KeyFolder;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.note.NoteKeyFolder;
import org.bitwitness.attestation.note.NoteKeyType;
import org.bitwitness.attestation.note.NoteSigner;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.Passphrases;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bitwitness key new}: makes a key in a folder of its own. */
@Command(
        name = "new",
        description = {
            "Make a new key pair in a new folder.",
            "p256 signs statements and draws random units (trainers, auditors, witnesses' beacons); ed25519 signs"
                    + " checkpoints (logs, witnesses) and needs a name."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  bitwitness key new --out keys/auditor-1",
            "  bitwitness key new --type ed25519 --for witness --name witness.example/w1 --out keys/w1"
        })
final class KeyNew extends BaseCommand {
    enum Type {
        P256,
        ED25519
    }

    enum Role {
        LOG,
        WITNESS
    }

    @Option(names = "--out", required = true, paramLabel = "DIR", description = "The folder to make.")
    private Path out = Path.of("");

    @Option(names = "--type", defaultValue = "p256", description = "p256 (default) or ed25519.")
    private Type type = Type.P256;

    @Option(names = "--for", defaultValue = "log", description = "For ed25519: log (default) or witness.")
    private Role role = Role.LOG;

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "For ed25519: name in signature lines, like host/path.")
    private Optional<String> name = Optional.empty();

    @Option(
            names = "--encrypt",
            description = "Protect the private key with a passphrase, from the file in BITWITNESS_PASSPHRASE_FILE or"
                    + " from the terminal.")
    private boolean encrypt;

    @Override
    protected CommandResult execute(CommandIo io) throws AttestationException, CommandFailure {
        return switch (type) {
            case P256 -> newP256();
            case ED25519 -> newNoteKey();
        };
    }

    private CommandResult newP256() throws AttestationException, CommandFailure {
        if (name.isPresent()) {
            throw CommandFailure.usage("--name belongs to ed25519 keys; a p256 key is named by its id");
        }
        SigningKey made = SigningKey.generate(new SecureRandom());
        KeyFolder folder = encrypt ? KeyFolder.create(out, made, Passphrases.choose(out)) : KeyFolder.create(out, made);
        String id = folder.verifyingKey().id().hex();
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("type", "p256");
        document.put("folder", out.toString());
        document.put("id", id);
        return CommandResult.ok(
                document,
                "made a P-256 key in " + out,
                "id " + id,
                "keep %s secret; give %s to others".formatted(KeyFolder.PRIVATE_FILE, KeyFolder.PUBLIC_FILE));
    }

    private CommandResult newNoteKey() throws AttestationException, CommandFailure {
        String keyName = name.orElseThrow(
                () -> CommandFailure.usage("an ed25519 key needs a --name, like log.example/bitwitness"));
        NoteKeyType noteType = switch (role) {
            case LOG -> NoteKeyType.ED25519;
            case WITNESS -> NoteKeyType.COSIGNATURE_V1;
        };
        NoteSigner signer = NoteSigner.create(keyName, noteType, new SecureRandom());
        if (encrypt) {
            NoteKeyFolder.write(out, signer, Passphrases.choose(out));
        } else {
            NoteKeyFolder.write(out, signer);
        }
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("type", "ed25519");
        document.put("folder", out.toString());
        document.put("vkey", signer.verifier().vkey());
        return CommandResult.ok(
                document,
                "made an Ed25519 key in " + out,
                "vkey " + signer.verifier().vkey(),
                "keep private.pem secret; give the vkey to others");
    }
}
