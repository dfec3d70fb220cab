package org.bitwitness.cli.support;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.bitwitness.kernels.gpu.backend.GpuSettings;

/**
 * Starts Bitwitness again as a process of its own: workers, witnesses, auditors. The child has this JVM's binary and
 * class path, the flags of its command, and ends when this process ends.
 */
public final class Relaunch {
    private static final String MAIN = "org.bitwitness.cli.Main";

    private Relaunch() {}

    /** The command line of a child: {@code command(List.of("witness", "serve", "--port", "0"))}. */
    public static List<String> command(List<String> commandArguments) {
        return command(commandArguments, List.of());
    }

    /** The same, with more flags for the child's JVM, {@code -Xmx1g} for example; they win over the usual ones. */
    public static List<String> command(List<String> commandArguments, List<String> moreJvmFlags) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JvmFlags.BASE);
        if (JvmFlags.isCompute(commandArguments)) {
            command.add(JvmFlags.VECTOR);
            command.addAll(JvmFlags.KERNELS);
        } else {
            command.addAll(JvmFlags.LIGHT);
            addCache(command);
        }
        command.addAll(List.of("-Xlog:disable", "-Xlog:all=error:stderr"));
        Home.known().ifPresent(home -> command.add("-Dbitwitness.home=" + home));
        if (launched()) {
            command.add("-Dbitwitness.launched=true");
        }
        command.add("-D" + ParentWatch.PARENT + "=" + ProcessHandle.current().pid());
        addDevice(command);
        command.addAll(userFlags());
        command.addAll(moreJvmFlags);
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(MAIN);
        command.addAll(commandArguments);
        return List.copyOf(command);
    }

    /** A builder for the child; the caller says where its streams go. */
    public static ProcessBuilder process(List<String> commandArguments) {
        return process(commandArguments, List.of());
    }

    public static ProcessBuilder process(List<String> commandArguments, List<String> moreJvmFlags) {
        ProcessBuilder builder = new ProcessBuilder(command(commandArguments, moreJvmFlags));
        builder.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
        return builder;
    }

    /** The launcher's cache fits the class path that the launcher gives, no other. */
    private static void addCache(List<String> command) {
        if (launched()) {
            Home.known()
                    .map(home -> home.resolve("target/launcher/light.aot"))
                    .filter(Files::isRegularFile)
                    .ifPresent(cache -> command.add("-XX:AOTCache=" + cache));
        }
    }

    /** Children compute on the same device, within the same limit. */
    private static void addDevice(List<String> command) {
        for (String name : List.of(GpuSettings.DEVICE, GpuSettings.MEMORY, GpuSettings.CHECKS)) {
            String value = System.getProperty(name, "");
            if (!value.isEmpty()) {
                command.add("-D" + name + "=" + value);
            }
        }
    }

    private static boolean launched() {
        return Boolean.getBoolean("bitwitness.launched");
    }

    private static List<String> userFlags() {
        String flags = System.getenv("BITWITNESS_JAVA_OPTS");
        return flags == null
                ? List.of()
                : Stream.of(flags.split("\\s+")).filter(flag -> !flag.isEmpty()).toList();
    }
}
