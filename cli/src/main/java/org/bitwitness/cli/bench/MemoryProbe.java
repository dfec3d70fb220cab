package org.bitwitness.cli.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.bitwitness.cli.support.CommandFailure;

/**
 * Peak resident memory of a training step: this program as a process of its own, above what the JVM has when it starts,
 * against PyTorch above what it has after its import.
 */
public final class MemoryProbe {
    private static final int THREADS = 1;
    private static final int STEPS = 4;
    private static final double MIB = 1024.0;

    private MemoryProbe() {}

    static String rowName(StepSize size) {
        return "memory-" + size.name();
    }

    static BenchRow measure(StepSize size, int runs) throws Exception {
        List<String> ours = ChildJvm.command(MemoryProbe.class, List.of(), size.name());
        List<String> peer =
                TorchPeer.command("memory", size.name(), Integer.toString(THREADS), Integer.toString(STEPS));
        BenchRow seconds =
                Alternating.seconds(rowName(size), THREADS, runs, () -> mebibytes(ours), () -> mebibytes(peer));
        return new BenchRow(
                seconds.name(), seconds.ours(), seconds.peer(), "MiB", seconds.ratio(), THREADS, seconds.runs());
    }

    private static double mebibytes(List<String> command) throws IOException, InterruptedException, CommandFailure {
        return Double.parseDouble(PeerProcess.lastLine(command)) / MIB;
    }

    /** Prints KiB. */
    public static void main(String[] arguments) throws Exception {
        long before = kibibytes("VmRSS");
        try (StepCase step = new StepCase(StepSize.named(arguments[0]), THREADS)) {
            for (int i = 0; i < STEPS; i++) {
                step.once();
            }
        }
        System.out.println(kibibytes("VmHWM") - before);
    }

    private static long kibibytes(String field) throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith(field + ":"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                .findFirst()
                .orElseThrow(() -> new IOException("/proc/self/status has no " + field + ": this row needs Linux"));
    }
}
