package org.bitwitness.cli.support;

import java.util.List;
import java.util.Set;

/** The flags of a JVM that runs a command. The launcher and {@code pom.xml} have the same; a test compares them. */
final class JvmFlags {
    /** What Arrow, Netty and Spark need to run, and to run quietly. */
    static final List<String> BASE = List.of(
            "--sun-misc-unsafe-memory-access=allow",
            "--enable-native-access=ALL-UNNAMED",
            "-Dio.netty.tryReflectionSetAccessible=true",
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/java.lang.invoke=ALL-UNNAMED",
            "--add-opens=java.base/java.util=ALL-UNNAMED");

    /** For commands that compute only: the module costs a warning and start-up time. */
    static final String VECTOR = "--add-modules=jdk.incubator.vector";

    /** What the JVM says about it, in a line of its own. */
    static final String WARNING = "WARNING: Using incubator modules: jdk.incubator.vector";

    /**
     * For commands that compute: vector code is a thousand times slower until it is optimised, so a thread that needs a
     * kernel waits for the compiler instead of going on slowly, and the compiler is asked after a twentieth of the usual
     * number of calls. Halves the processor time of a short process. Nearly all memory is arrays that live long: the collector
     * need not let short-lived objects pile up, and what the compiler worked in goes back to the system.
     */
    static final List<String> KERNELS = List.of(
            "-XX:CompileCommand=quiet",
            "-XX:CompileCommand=BackgroundCompilation,org.bitwitness.kernels.vector.*::*,false",
            "-XX:CompileCommand=CompileThresholdScaling,org.bitwitness.kernels.vector.*::*,0.05",
            "-XX:MaxNewSize=16m",
            "-XX:TrimNativeHeapInterval=500");

    /** For commands that do not compute: starts faster. */
    static final List<String> LIGHT = List.of("-XX:+UseSerialGC");

    static final Set<String> COMPUTE_COMMANDS = Set.of(
            "demo",
            "train",
            "train-worker",
            "replay",
            "audit",
            "profile",
            "doctor",
            "dispute",
            "drill",
            "bench",
            "bench-gpu");

    private JvmFlags() {}

    static boolean isCompute(List<String> commandArguments) {
        return !commandArguments.isEmpty() && COMPUTE_COMMANDS.contains(commandArguments.getFirst());
    }
}
