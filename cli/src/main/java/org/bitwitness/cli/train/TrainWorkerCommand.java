package org.bitwitness.cli.train;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.cli.support.RuntimeNeed;
import org.bitwitness.cli.support.VersionProvider;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.recorder.RecorderException;
import org.bitwitness.recorder.train.JoinedWorker;
import org.bitwitness.recorder.train.Worker;
import org.bitwitness.recorder.wire.JoinToken;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code bitwitness train-worker}: one worker. Either it was started by {@code train}, which writes the token to its standard
 * input, or by a person on another host, with {@code --join}.
 */
@Command(
        name = "train-worker",
        description = "One worker of a training run on another host; see train --hosts.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  bitwitness train-worker --join 10.0.0.1:4600 --host a --token-file run.token --dataset data",
            "  ssh a bitwitness train-worker --join 10.0.0.1:4600 --host a --token-file /dev/stdin --dataset data <"
                    + " run.token"
        })
public final class TrainWorkerCommand extends BaseCommand {
    private static final int MAX_THREADS = 1024;

    @Option(names = "--join", paramLabel = "ADDR:PORT", description = "Where the coordinator listens.")
    private Optional<String> join = Optional.empty();

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "Copy of the file that train --hosts has written.")
    private Optional<Path> tokenFile = Optional.empty();

    @Option(names = "--host", paramLabel = "NAME", description = "This host's name in the coordinator's --hosts.")
    private Optional<String> host = Optional.empty();

    @Option(names = "--dataset", paramLabel = "DIR", description = "The run's dataset, on this host.")
    private Optional<Path> dataset = Optional.empty();

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "1",
            description = "Threads of this worker (default: ${DEFAULT-VALUE}). The bits are the same.")
    private int threads;

    @Option(
            names = "--wait",
            paramLabel = "SECONDS",
            defaultValue = "60",
            description = "How long to try while nobody listens there yet (default: ${DEFAULT-VALUE}).")
    private int patience;

    // What train gives to those that it starts itself.
    @Option(names = "--connect", hidden = true, paramLabel = "PORT")
    private Optional<Integer> port = Optional.empty();

    @Option(names = "--worker", hidden = true, paramLabel = "ID")
    private Optional<Integer> worker = Optional.empty();

    @Override
    protected Set<RuntimeNeed> needs() {
        return Set.of(RuntimeNeed.VECTOR);
    }

    @Override
    protected CommandResult execute(CommandIo io) throws CommandFailure, IOException, RecorderException {
        return port.isPresent() && worker.isPresent() ? child(port.get(), worker.get()) : joined();
    }

    private static CommandResult child(int port, int worker) throws CommandFailure, IOException {
        if (port < 1 || port > 65_535 || worker < 0 || worker > WorkerId.MAX) {
            throw CommandFailure.usage(
                    "a port is 1 to 65535 and a worker 0 to %d, got %d and %d".formatted(WorkerId.MAX, port, worker));
        }
        int exit = Worker.run(port, new WorkerId(worker), System.in);
        return CommandResult.of(exit == 0 ? ExitCode.OK : ExitCode.USAGE, Map.of("worker", worker), List.of());
    }

    private CommandResult joined() throws CommandFailure, RecorderException {
        if (join.isEmpty() || tokenFile.isEmpty() || host.isEmpty() || dataset.isEmpty()) {
            throw CommandFailure.usage("a worker needs --join, --host, --token-file and --dataset; `bitwitness train"
                    + " --hosts` prints the whole command");
        }
        if (threads < 1 || threads > MAX_THREADS || patience < 0) {
            throw CommandFailure.usage("--threads is from 1 to %d and --wait not negative, got %d and %d"
                    .formatted(MAX_THREADS, threads, patience));
        }
        InetSocketAddress coordinator = Endpoint.parse("--join", join.get());
        if (!Files.isDirectory(dataset.get())) {
            throw CommandFailure.usage("--dataset: there is no folder %s on this host; copy the run's dataset here"
                    .formatted(dataset.get()));
        }
        JoinToken token = token(tokenFile.get());
        JoinedWorker.run(CommandFailure.typed(() -> new JoinedWorker.Joining(
                coordinator,
                token,
                host.get(),
                dataset.get(),
                threads,
                VersionProvider.version(),
                Duration.ofSeconds(patience))));
        return CommandResult.ok(Map.of("host", host.get()), "the run is over");
    }

    private static JoinToken token(Path file) throws CommandFailure {
        try {
            return JoinToken.read(file);
        } catch (IOException e) {
            throw new CommandFailure(ExitCode.USAGE, "--token-file: " + e.getMessage(), e);
        }
    }
}
