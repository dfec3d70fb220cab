package org.bitwitness.cli.log;

import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.log.FolderStore;
import org.bitwitness.attestation.log.LocalTileLog;
import org.bitwitness.attestation.log.LogServer;
import org.bitwitness.attestation.note.NoteKeyFolder;
import org.bitwitness.attestation.note.NoteSigner;
import org.bitwitness.attestation.trust.WitnessIdentity;
import org.bitwitness.attestation.trust.WitnessPolicy;
import org.bitwitness.attestation.witness.WitnessClient;
import org.bitwitness.attestation.witness.WitnessQuorum;
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

/** {@code bitwitness log serve}: the log's one writer, and its files over HTTP. */
@Command(
        name = "serve",
        description = {
            "Serve a log for writing and reading until it is stopped.",
            "POST /api/v1/add appends a signed statement; checkpoint, tiles and payloads are plain files.",
            "Witnesses are asked at the URLs of the policy, or at those given with --witness."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  bitwitness log serve --dir log --key keys/log --trust trust --port 8080",
            "  bitwitness log serve --dir log --key keys/log --trust trust --witness w1=http://127.0.0.1:8081"
        })
final class LogServe extends BaseCommand {
    @Option(names = "--dir", required = true, paramLabel = "DIR", description = "The log's folder; made if needed.")
    private Path folder = Path.of("");

    @Option(names = "--key", required = true, paramLabel = "DIR", description = "Key folder of the log (ed25519).")
    private Path key = Path.of("");

    @Option(
            names = "--witness",
            paramLabel = "[NAME=]URL",
            description = "Where a witness of the policy listens; without a name the witness is asked who it is.")
    private List<String> witnessUrls = List.of();

    @Mixin
    private LogTrust trust = new LogTrust();

    @Mixin
    private Listening listening = new Listening();

    @Override
    protected CommandResult execute(CommandIo io) throws AttestationException, CommandFailure, InterruptedException {
        InetSocketAddress address = listening.address();
        WitnessPolicy policy = trust.forLog(folder.toString());
        NoteSigner signer = CommandFailure.own(() -> NoteKeyFolder.signer(key, Passphrases.ask()));
        List<WitnessClient> witnesses = witnesses(policy);
        LocalTileLog log =
                LocalTileLog.open(folder, new LocalTileLog.Settings(signer, policy, new WitnessQuorum(witnesses)));
        LogServer server;
        try {
            server = LogServer.start(log, FolderStore.existing(folder), address);
        } catch (AttestationException e) {
            log.close();
            throw e;
        }
        long entries = log.published().map(p -> p.checkpoint().size()).orElse(0L);
        io.publish(CommandResult.ok(
                Map.of(
                        "url", server.url().toString(),
                        "pid", ProcessHandle.current().pid(),
                        "origin", log.origin(),
                        "entries", entries,
                        "witnesses", witnesses.size()),
                "log %s with %d entries listens at %s".formatted(log.origin(), entries, server.url()),
                "asks %d witnesses: %s"
                        .formatted(
                                witnesses.size(),
                                witnesses.stream().map(w -> w.witness().name()).toList())));
        listening.untilStopped(server.url(), server);
        return CommandResult.published(ExitCode.OK);
    }

    private List<WitnessClient> witnesses(WitnessPolicy policy) throws AttestationException, CommandFailure {
        List<WitnessClient> clients = new ArrayList<>();
        if (witnessUrls.isEmpty()) {
            for (WitnessIdentity witness : policy.witnesses()) {
                Optional<URI> url = witness.url();
                url.ifPresent(at -> clients.add(new WitnessClient(witness, at)));
            }
        }
        for (String text : witnessUrls) {
            clients.add(client(text, policy));
        }
        if (clients.isEmpty() && policy.quorum().fewest() > 0) {
            throw CommandFailure.usage("the policy needs " + policy.quorum().words()
                    + " but has no witness URLs: add them to its witness lines, or give --witness NAME=URL");
        }
        return clients;
    }

    private static WitnessClient client(String text, WitnessPolicy policy) throws AttestationException, CommandFailure {
        int equals = text.indexOf('=');
        boolean named = equals > 0 && text.indexOf("://") > equals;
        URI url = url(named ? text.substring(equals + 1) : text);
        if (!named) {
            return WitnessClient.identify(url, policy);
        }
        String name = text.substring(0, equals);
        return policy.witnesses().stream()
                .filter(w -> w.name().equals(name))
                .findFirst()
                .map(w -> new WitnessClient(w, url))
                .orElseThrow(() -> CommandFailure.usage("the policy has no witness \"%s\"; it has %s"
                        .formatted(
                                name,
                                policy.witnesses().stream()
                                        .map(WitnessIdentity::name)
                                        .toList())));
    }

    private static URI url(String text) throws CommandFailure {
        try {
            URI url = URI.create(text);
            if (url.getHost() != null
                    && url.getScheme() != null
                    && url.getScheme().startsWith("http")) {
                return url;
            }
        } catch (IllegalArgumentException notAUrl) {
            // The same message as for a URL of another kind.
        }
        throw CommandFailure.usage("\"" + text + "\" is no http URL: a witness looks like w1=http://127.0.0.1:8081");
    }
}
