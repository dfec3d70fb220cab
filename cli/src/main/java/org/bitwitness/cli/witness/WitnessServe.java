package org.bitwitness.cli.witness;

import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.keys.KeyFolder;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.note.NoteKeyFolder;
import org.bitwitness.attestation.note.NoteKeyType;
import org.bitwitness.attestation.note.NoteSigner;
import org.bitwitness.attestation.note.NoteVerifier;
import org.bitwitness.attestation.witness.Witness;
import org.bitwitness.attestation.witness.WitnessServer;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.cli.support.Listening;
import org.bitwitness.cli.support.Passphrases;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bitwitness witness serve}: cosigns checkpoints that continue the ones before. */
@Command(
        name = "serve",
        description = {
            "Serve a witness until it is stopped (c2sp.org/tlog-witness).",
            "POST /add-checkpoint cosigns a checkpoint that continues the last one; POST /beacon answers the randomness"
                    + " of a tree it cosigned, if there is a --vrf-key."
        },
        footerHeading = "%nExample:%n",
        footer = "  bitwitness witness serve --dir w1-state --key keys/w1 --vrf-key keys/w1-vrf --log keys/log/vkey"
                + " --port 8081")
final class WitnessServe extends BaseCommand {
    @Option(
            names = "--dir",
            required = true,
            paramLabel = "DIR",
            description = "What the witness remembers; made if needed. Losing it means a new key.")
    private Path state = Path.of("");

    @Option(
            names = "--key",
            required = true,
            paramLabel = "DIR",
            description = "Key folder of the witness (ed25519, made with --for witness).")
    private Path key = Path.of("");

    @Option(names = "--vrf-key", paramLabel = "DIR", description = "Key folder for beacons (p256).")
    private Optional<Path> vrfKey = Optional.empty();

    @Option(
            names = "--log",
            required = true,
            paramLabel = "VKEY|FILE",
            description = "A log it knows: its vkey, or a file or key folder with it. May be repeated.")
    private List<String> logs = List.of();

    @Mixin
    private Listening listening = new Listening();

    @Override
    protected CommandResult execute(CommandIo io) throws AttestationException, CommandFailure, InterruptedException {
        InetSocketAddress address = listening.address();
        NoteSigner signer = CommandFailure.own(() -> NoteKeyFolder.signer(key, Passphrases.ask()));
        if (signer.verifier().type() != NoteKeyType.COSIGNATURE_V1) {
            throw CommandFailure.usage(key
                    + " holds a log's key; a witness needs one made with"
                    + " `bitwitness key new --type ed25519 --for witness`");
        }
        Optional<SigningKey> vrf = vrfKey.isPresent()
                ? Optional.of(CommandFailure.own(() -> new KeyFolder(vrfKey.get()).signingKey(Passphrases.ask())))
                : Optional.empty();
        Witness witness = Witness.open(state, new Witness.Settings(signer, vrf, logKeys(), InstantSource.system()));
        WitnessServer server;
        try {
            server = WitnessServer.start(witness, address);
        } catch (AttestationException e) {
            witness.close();
            throw e;
        }
        io.publish(CommandResult.ok(
                Map.of(
                        "url", server.url().toString(),
                        "pid", ProcessHandle.current().pid(),
                        "vkey", witness.verifier().vkey(),
                        "beacons", witness.answersBeacons()),
                "witness %s listens at %s".formatted(witness.verifier().name(), server.url()),
                witness.answersBeacons() ? "answers beacons" : "answers no beacons (no --vrf-key)"));
        listening.untilStopped(server.url(), server);
        return CommandResult.published(ExitCode.OK);
    }

    private List<NoteVerifier> logKeys() throws CommandFailure {
        List<NoteVerifier> keys = new ArrayList<>();
        for (String text : logs) {
            NoteVerifier log = CommandFailure.own(() ->
                    Files.exists(Path.of(text)) ? NoteKeyFolder.verifierAt(Path.of(text)) : NoteVerifier.parse(text));
            if (log.type() != NoteKeyType.ED25519) {
                throw CommandFailure.usage("--log " + text + " is not a log's key");
            }
            keys.add(log);
        }
        return keys;
    }
}
