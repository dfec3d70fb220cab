package org.bitwitness.cli.bench;

import java.util.concurrent.TimeUnit;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.Backends;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.CommandLineOptions;

/**
 * Single operators of the vector backend under JMH, at the sizes of {@link KernelCases}: to see what a change to a kernel
 * does, with JMH's profilers. Comparisons with a peer are {@link CpuGroup}'s.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class OperatorBenchmark {
    @Param({
        "gemm-512-512-512",
        "gemm-1024-1024-1024",
        "gemm-2048-768-768",
        "attention-8-256-64",
        "adamw-4194304",
        "crossentropy-1024-8192",
        "layernorm-2048-768",
        "rmsnorm-2048-768",
        "gelu-1048576",
        "exp-1048576"
    })
    public String operator;

    @Param({"1", "2"})
    public int threads;

    private Backend backend;
    private Runnable once;

    /** Tensors and worker threads are made once. */
    @Setup
    public void make() {
        backend = Backends.create(BackendId.VECTOR, threads);
        once = new KernelCases(backend).make(operator).once();
    }

    @TearDown
    public void close() {
        backend.close();
    }

    /** One call of the operator. */
    @Benchmark
    public void run() {
        once.run();
    }

    /** What {@code benchmarks/run jmh} runs; the arguments are JMH's own. */
    @Test
    void underJmh() throws Exception {
        String arguments = System.getProperty("jmh.arguments", "").strip();
        new Runner(new CommandLineOptions(arguments.isEmpty() ? new String[0] : arguments.split("\\s+"))).run();
    }
}
