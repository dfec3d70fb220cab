package org.bitwitness.cli.train;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.cli.support.RuntimeNeed;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.recorder.train.Worker;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bitwitness train-worker}: a worker process; the coordinator writes the token to its standard input. */
@Command(
        name = "train-worker",
        hidden = true,
        description = "One worker of a training run; started by train.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness train-worker --connect 4000 --worker 2")
public final class TrainWorkerCommand extends BaseCommand {
    @Option(names = "--connect", required = true, paramLabel = "PORT", description = "The coordinator's port.")
    private int port;

    @Option(names = "--worker", required = true, paramLabel = "ID", description = "Which worker this is.")
    private int worker;

    @Override
    protected Set<RuntimeNeed> needs() {
        return Set.of(RuntimeNeed.VECTOR);
    }

    @Override
    protected CommandResult execute(CommandIo io) throws CommandFailure, IOException {
        if (port < 1 || port > 65_535 || worker < 0 || worker > WorkerId.MAX) {
            throw CommandFailure.usage(
                    "a port is 1 to 65535 and a worker 0 to %d, got %d and %d".formatted(WorkerId.MAX, port, worker));
        }
        int exit = Worker.run(port, new WorkerId(worker), System.in);
        return CommandResult.of(exit == 0 ? ExitCode.OK : ExitCode.USAGE, Map.of("worker", worker), List.of());
    }
}
