package org.bitwitness.cli.dispute;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import org.bitwitness.attestation.keys.KeyFolder;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.cli.support.Listening;
import org.bitwitness.cli.support.Passphrases;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bitwitness dispute serve}: the referee takes answers over HTTP. */
@Command(
        name = "serve",
        description = {
            "Serve a dispute over HTTP as its referee, until it is stopped: take the sides' answers,",
            "give receipts, rule. The other commands take its URL in place of the folder."
        },
        footerHeading = "%nExample:%n",
        footer = "  bitwitness dispute serve dispute-17-2 --key keys/referee --port 8085")
final class DisputeServe extends DisputeAction {
    @Parameters(paramLabel = "DIR", description = "Folder of the dispute.")
    private Path dispute = Path.of("");

    @Option(names = "--key", required = true, paramLabel = "DIR", description = "Key folder of the referee.")
    private Path key = Path.of("");

    @Mixin
    private Listening listening = new Listening();

    @Override
    protected CommandResult execute(CommandIo io) throws Exception {
        InetSocketAddress address = listening.address();
        SigningKey signer = new KeyFolder(key).signingKey(Passphrases.ask());
        DisputeFolder folder = new DisputeFolder(dispute);
        Transcript transcript = Transcript.read(folder);
        transcript.requireReferee(signer.verifyingKey());
        DisputeServer server =
                DisputeServer.start(folder, signer, new RefereeDesk(InstantSource.system(), io::note), address);
        io.publish(CommandResult.ok(
                Map.of(
                        "url",
                        server.url().toString(),
                        "pid",
                        ProcessHandle.current().pid(),
                        "dispute",
                        transcript.id().hex()),
                "dispute %s at %s".formatted(transcript.id(), server.url())));
        listening.untilStopped(server.url(), server);
        return CommandResult.published(ExitCode.OK);
    }
}
