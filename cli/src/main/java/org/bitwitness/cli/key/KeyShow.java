package org.bitwitness.cli.key;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.keys.KeyFolder;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.attestation.note.NoteKeyFolder;
import org.bitwitness.attestation.note.NoteVerifier;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code bitwitness key show}: the public half of a key and its name. Never reads a secret into the output. */
@Command(
        name = "show",
        description = "Show the public half of a key and its name.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness key show keys/auditor-1")
final class KeyShow extends BaseCommand {
    @Parameters(index = "0", paramLabel = "KEY", description = "A key folder, or a public.pem.")
    private Path key = Path.of("");

    @Override
    protected CommandResult execute(CommandIo io) throws CommandFailure {
        return CommandFailure.own(() -> show(io));
    }

    private CommandResult show(CommandIo io) throws AttestationException {
        Map<String, Object> document = new LinkedHashMap<>();
        List<String> lines = new ArrayList<>();
        if (Files.isRegularFile(key.resolve("vkey"))) {
            NoteVerifier verifier = NoteKeyFolder.verifier(key);
            document.put("type", "ed25519");
            document.put("name", verifier.name());
            document.put("vkey", verifier.vkey());
            lines.add("Ed25519 key of " + verifier.name());
            lines.add("vkey " + verifier.vkey());
            lines.addAll(NoteKeyFolder.publicPem(verifier).lines().toList());
        } else {
            VerifyingKey verifier = KeyFolder.verifyingKeyAt(key);
            document.put("type", "p256");
            document.put("id", verifier.id().hex());
            document.put("publicKey", verifier.pem());
            lines.add("P-256 key");
            lines.add("id " + verifier.id());
            lines.addAll(verifier.pem().lines().toList());
        }
        if (Files.isRegularFile(key.resolve(KeyFolder.PRIVATE_FILE))) {
            new KeyFolder(key).warnings().forEach(io::note);
        }
        return CommandResult.of(ExitCode.OK, document, lines);
    }
}
