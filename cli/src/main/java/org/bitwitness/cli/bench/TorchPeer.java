package org.bitwitness.cli.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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

    /** @throws CommandFailure if Python or PyTorch is missing */
    static TorchPeer start() throws IOException, CommandFailure {
        Path script = Home.folder().resolve("benchmarks/pytorch/kernels.py");
        Process process;
        try {
            process = new ProcessBuilder("python3", script.toString())
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
                    "the peer " + script + " did not start: install PyTorch (pip install torch numpy)");
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
