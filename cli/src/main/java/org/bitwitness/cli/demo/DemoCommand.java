package org.bitwitness.cli.demo;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.log.LogSources;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.RuntimeNeed;
import org.bitwitness.cli.support.Terminals;
import org.bitwitness.portal.PortalException;
import org.bitwitness.portal.PortalServer;
import org.bitwitness.portal.index.LogPortalView;
import org.bitwitness.protocol.ProtocolException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bitwitness demo}: the whole flow on real text, with real processes. */
@Command(
        name = "demo",
        description = "Walk the whole flow: record, commit, challenge, audit, attest, catch a liar, show.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness demo --no-serve --out demo-out")
public final class DemoCommand extends BaseCommand {
    @Option(
            names = "--out",
            paramLabel = "DIR",
            defaultValue = "demo-out",
            description = "Folder to leave everything in (default: ${DEFAULT-VALUE}).")
    private Path out = Path.of("");

    @Option(names = "--force", description = "Replace an older demo's folder.")
    private boolean force;

    @Option(
            names = "--steps",
            defaultValue = "60",
            description = "Training steps of each run (default: ${DEFAULT-VALUE}).")
    private int steps;

    @Option(
            names = "--workers",
            defaultValue = "4",
            description = "Worker processes of each run (default: ${DEFAULT-VALUE}).")
    private int workers;

    @Option(
            names = "--audits",
            defaultValue = "12",
            description = "Units that the three auditors draw together (default: ${DEFAULT-VALUE}).")
    private int audits;

    @Option(names = "--serve", negatable = true, description = "Show the portal at the end (default: on a terminal).")
    private Optional<Boolean> serve = Optional.empty();

    @Option(
            names = "--port",
            defaultValue = "8620",
            description = "Port of the portal; 0 takes a free one (default: ${DEFAULT-VALUE}).")
    private int port;

    @Override
    protected Set<RuntimeNeed> needs() {
        return Set.of(RuntimeNeed.ARROW, RuntimeNeed.VECTOR);
    }

    @Override
    protected CommandResult execute(CommandIo io)
            throws CommandFailure, IOException, InterruptedException, AttestationException, ProtocolException,
                    PortalException {
        DemoSize size = DemoSize.of(steps, workers, audits);
        DemoFolder folder = DemoFolder.create(out, force);
        DemoOutcome outcome;
        try (Children children = new Children(io, folder.work())) {
            DemoTalk talk = new DemoTalk(io, System::nanoTime, children::newestWord);
            Thread stop = new Thread(children::close, "stop children");
            Runtime.getRuntime().addShutdownHook(stop);
            outcome = new DemoFlow(folder, size, children, talk).walk();
            Runtime.getRuntime().removeShutdownHook(stop);
        }
        List<String> lines = new ArrayList<>(outcome.lines());
        lines.addFirst("everything is in " + folder.path());
        CommandResult result = CommandResult.of(outcome.exitCode(), new DemoDocument(outcome, folder), lines);
        io.publish(result);
        if (serve.orElse(Terminals.standardOutput() && !io.json())) {
            show(io, folder);
        }
        return result;
    }

    /** Serves the portal until the process is stopped. */
    private void show(CommandIo io, DemoFolder folder)
            throws AttestationException, PortalException, InterruptedException {
        LogPortalView view = new LogPortalView(
                LogSources.at(folder.log().toString()),
                TrustPolicy.load(folder.trust()),
                List.of(folder.run(), folder.liar()));
        try (PortalServer portal = new PortalServer(view, "127.0.0.1", port)) {
            io.say("the portal is at @|underline " + portal.url() + "|@ : drop "
                    + folder.released().resolve("model.safetensors") + " on its page (stop it with Ctrl-C)");
            Thread.currentThread().join();
        }
    }

    /** What {@code --json} prints; {@code summary.json} has the same facts and the times. */
    private record DemoDocument(
            String out, boolean ok, String finalStateRoot, String runId, String level, long reproduced, long drawn) {
        DemoDocument(DemoOutcome outcome, DemoFolder folder) {
            this(
                    folder.path().toString(),
                    outcome.isGood(),
                    outcome.finalStateRoot().hex(),
                    outcome.runId(),
                    outcome.level(),
                    outcome.reproduced(),
                    outcome.drawn().size());
        }
    }
}
