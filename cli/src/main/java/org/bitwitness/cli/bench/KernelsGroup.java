package org.bitwitness.cli.bench;

import java.util.ArrayList;
import java.util.List;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.Backends;

/** The vector backend against PyTorch's CPU kernels: same shapes, same threads, float32, in alternation. */
final class KernelsGroup implements BenchGroup {
    private static final int[] THREADS = {1, 2};
    private static final double WARM_UP_SECONDS = 1;
    private static final double LEAST_SECONDS = 0.1;

    @Override
    public String name() {
        return "kernels";
    }

    @Override
    public String describes() {
        return "operators and a training step of the vector backend against PyTorch on the CPU, 1 and 2 threads";
    }

    @Override
    public List<BenchRow> measure(int runs) throws Exception {
        List<BenchRow> rows = new ArrayList<>();
        try (TorchPeer peer = TorchPeer.start()) {
            for (int threads : THREADS) {
                try (Backend backend = Backends.create(BackendId.VECTOR, threads)) {
                    for (KernelCases.Case measured : new KernelCases(backend).all()) {
                        rows.add(row(measured, threads, runs, peer));
                    }
                }
                try (StepCase step = new StepCase(threads)) {
                    rows.add(row(new KernelCases.Case(StepCase.NAME, step::once), threads, runs, peer));
                }
            }
        }
        return rows;
    }

    private static BenchRow row(KernelCases.Case measured, int threads, int runs, TorchPeer peer) throws Exception {
        seconds(measured.once(), WARM_UP_SECONDS);
        return Alternating.seconds(
                measured.name(),
                threads,
                runs,
                () -> seconds(measured.once(), LEAST_SECONDS),
                () -> peer.seconds(measured.name(), threads));
    }

    /** Seconds of one execution, averaged over as many as fill {@code least} seconds. */
    private static double seconds(Runnable once, double least) {
        long started = System.nanoTime();
        int executions = 0;
        double elapsed = 0;
        while (elapsed < least) {
            once.run();
            executions++;
            elapsed = (System.nanoTime() - started) / 1e9;
        }
        return elapsed / executions;
    }
}
