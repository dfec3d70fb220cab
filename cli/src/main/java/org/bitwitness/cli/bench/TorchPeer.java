package org.bitwitness.cli.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.Home;

/** {@code benchmarks/pytorch/kernels.py} as a process that answers a case and a number of threads with seconds. */
final class TorchPeer implements AutoCloseable {
    private final Process process;
    private final Writer questions;
    private final BufferedReader answers;

    private TorchPeer(Process process) {
        this.process = process;
        this.questions = process.outputWriter(StandardCharsets.UTF_8);
        this.answers = process.inputReader(StandardCharsets.UTF_8);
    }

    /** The peer's script with arguments; without any it waits for questions. */
    static List<String> command(String... arguments) throws CommandFailure {
        List<String> command = new ArrayList<>();
        command.add("python3");
        command.add(Home.folder().resolve("benchmarks/pytorch/kernels.py").toString());
        command.addAll(List.of(arguments));
        return command;
    }

    /** @throws CommandFailure if Python or PyTorch is missing */
    static TorchPeer start() throws IOException, CommandFailure {
        List<String> command = command();
        Process process;
        try {
            process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        } catch (IOException e) {
            throw CommandFailure.usage("the peer needs python3 with torch: " + e.getMessage());
        }
        TorchPeer peer = new TorchPeer(process);
        String ready = peer.answers.readLine();
        if (!"ready".equals(ready)) {
            peer.close();
            throw CommandFailure.usage(
                    "the peer " + command + " did not start: install PyTorch (pip install torch numpy)");
        }
        return peer;
    }

    /** Seconds of one execution of the case {@code name}. */
    double seconds(String name, int threads) throws IOException, CommandFailure {
        questions.write(name + " " + threads + "\n");
        questions.flush();
        String answer = answers.readLine();
        if (answer == null) {
            throw CommandFailure.usage("the PyTorch peer ended at " + name + ": its message is above");
        }
        return Double.parseDouble(answer);
    }

    @Override
    public void close() {
        process.destroy();
    }
}
