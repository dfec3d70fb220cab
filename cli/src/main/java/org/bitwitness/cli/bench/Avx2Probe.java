package org.bitwitness.cli.bench;

import java.util.List;
import java.util.Locale;
import org.bitwitness.cli.bench.KernelCases.Case;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.Backends;
import org.bitwitness.kernels.vector.MultiplyAddPeak;

/** A matrix product in a JVM without AVX-512, against the multiply-adds that the same JVM can do at most. */
public final class Avx2Probe {
    static final String ROW = "gemm-avx2-1024-1024-1024";

    private static final String CASE = "gemm-1024-1024-1024";
    private static final double OPERATIONS = 2.0 * 1024 * 1024 * 1024;
    private static final double GIGA = 1e9;
    private static final double LEAST_SECONDS = 0.1;

    private Avx2Probe() {}

    static BenchRow measure(int runs) throws Exception {
        List<String> command = ChildJvm.command(Avx2Probe.class, List.of("-XX:UseAVX=2"), Integer.toString(runs));
        String[] medians = PeerProcess.lastLine(command).split(" ", -1);
        double ours = Double.parseDouble(medians[0]);
        double peak = Double.parseDouble(medians[1]);
        return new BenchRow(ROW, ours, peak, "GFLOP/s", ours / peak, 1, runs);
    }

    /** Prints both medians. */
    public static void main(String[] arguments) throws Exception {
        try (Backend backend = Backends.create(BackendId.VECTOR, 1)) {
            Case product = new KernelCases(backend).make(CASE);
            CpuGroup.seconds(product.once(), 1);
            BenchRow row = Alternating.gibibytesPerSecond(
                    ROW,
                    1,
                    Integer.parseInt(arguments[0]),
                    () -> OPERATIONS / CpuGroup.seconds(product.once(), LEAST_SECONDS) / GIGA,
                    () -> MultiplyAddPeak.operationsPerSecond(LEAST_SECONDS) / GIGA);
            System.out.printf(Locale.ROOT, "%.3f %.3f%n", row.ours(), row.peer());
        }
    }
}
