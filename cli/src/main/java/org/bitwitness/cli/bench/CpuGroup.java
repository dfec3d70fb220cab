package org.bitwitness.cli.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.bitwitness.cli.bench.KernelCases.Case;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.Backends;

/** The vector backend against PyTorch's CPU kernels: same shapes, same threads, float32, in alternation. */
final class CpuGroup implements BenchGroup {
    private static final int[] THREADS = {1, 2};
    private static final double WARM_UP_SECONDS = 0.7;
    private static final double LEAST_SECONDS = 0.1;

    @Override
    public String name() {
        return "cpu";
    }

    @Override
    public String describes() {
        return "operators, training steps and their memory, vector backend against PyTorch on the CPU, 1 and 2 threads";
    }

    @Override
    public List<BenchRow> measure(int runs) throws Exception {
        return measure(runs, Selection.ALL);
    }

    @Override
    public List<BenchRow> measure(int runs, Selection only) throws Exception {
        List<BenchRow> rows = new ArrayList<>();
        if (names().noneMatch(only::has)) {
            return rows;
        }
        try (TorchPeer peer = TorchPeer.start()) {
            for (int threads : THREADS) {
                operators(rows, threads, runs, only, peer);
                for (StepSize size : StepSize.ALL) {
                    if (only.has(size.name())) {
                        try (StepCase step = new StepCase(size, threads)) {
                            rows.add(row(new Case(size.name(), step::once), threads, runs, peer));
                        }
                    }
                }
            }
        }
        for (StepSize size : StepSize.ALL) {
            if (only.has(MemoryProbe.rowName(size))) {
                rows.add(MemoryProbe.measure(size, runs));
            }
        }
        if (only.has(Avx2Probe.ROW)) {
            rows.add(Avx2Probe.measure(runs));
        }
        return rows;
    }

    private static Stream<String> names() {
        Stream<String> steps = StepSize.ALL.stream().flatMap(size -> Stream.of(size.name(), MemoryProbe.rowName(size)));
        return Stream.concat(Stream.concat(KernelCases.NAMES.stream(), steps), Stream.of(Avx2Probe.ROW));
    }

    private static void operators(List<BenchRow> rows, int threads, int runs, Selection only, TorchPeer peer)
            throws Exception {
        try (Backend backend = Backends.create(BackendId.VECTOR, threads)) {
            KernelCases cases = new KernelCases(backend);
            for (String name : KernelCases.NAMES) {
                if (only.has(name)) {
                    rows.add(row(cases.make(name), threads, runs, peer));
                }
            }
        }
    }

    private static BenchRow row(Case measured, int threads, int runs, TorchPeer peer) throws Exception {
        seconds(measured.once(), WARM_UP_SECONDS);
        return Alternating.seconds(
                measured.name(),
                threads,
                runs,
                () -> seconds(measured.once(), LEAST_SECONDS),
                () -> peer.seconds(measured.name(), threads));
    }

    /** Seconds of one execution, averaged over as many as fill {@code least} seconds. */
    static double seconds(Runnable once, double least) {
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
