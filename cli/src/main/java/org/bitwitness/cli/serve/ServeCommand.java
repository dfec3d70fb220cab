package org.bitwitness.cli.serve;

import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.log.LogSources;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.cli.support.Listening;
import org.bitwitness.portal.PortalException;
import org.bitwitness.portal.PortalServer;
import org.bitwitness.portal.index.LogPortalView;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bitwitness serve}: the portal, until it is stopped. */
@Command(
        name = "serve",
        description = "Serve the public portal over a log: runs, coverage, verdicts, and look-up of a model file.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness serve --log demo-out/log --trust demo-out/trust --run demo-out/run --run demo-out/liar")
public final class ServeCommand extends BaseCommand {
    private static final int USUAL_PORT = 8620;

    @Option(names = "--log", required = true, paramLabel = "DIR|URL", description = "The log to show.")
    private String log = "";

    @Option(
            names = "--trust",
            required = true,
            paramLabel = "DIR",
            description = "Whose log, witnesses and auditors count.")
    private Path trust = Path.of("");

    @Option(
            names = "--run",
            paramLabel = "RUN",
            description = "A recording at hand, for its loss curve; may be given several times.")
    private List<Path> runs = new ArrayList<>();

    @Mixin
    private Listening listening = new Listening(USUAL_PORT);

    /** What {@code --json} prints. */
    private record Started(String url) {}

    @Override
    protected CommandResult execute(CommandIo io)
            throws AttestationException, CommandFailure, PortalException, InterruptedException {
        InetSocketAddress address = listening.address();
        LogPortalView view =
                new LogPortalView(LogSources.at(log), CommandFailure.own(() -> TrustPolicy.load(trust)), runs);
        // The address first, for reading a log takes long; whoever asks meanwhile waits for the same reading.
        try (PortalServer server = new PortalServer(view, address.getHostString(), address.getPort())) {
            // A log that does not verify is said now, not to the first visitor.
            view.runs();
            io.publish(CommandResult.ok(
                    new Started(server.url()), "the portal is at " + server.url() + " (stop it with Ctrl-C)"));
            listening.untilStopped(URI.create(server.url()), server);
        }
        return CommandResult.published(ExitCode.OK);
    }
}
