package org.bitwitness.cli.support;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.replayer.MemoryPlan;
import org.bitwitness.replayer.MemoryPlan.Part;
import picocli.CommandLine.Option;

/** How much memory a command may take, itself and its child together. */
public final class MemoryOptions {
    private static final long MIB = 1L << 20;

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            description = {
                "Most resident memory of the whole command: 512M, 2G. What does not fit",
                "is refused before it starts, with the smallest figure that would do."
            })
    private String memory = "";

    /** What was asked for. */
    public OptionalLong bytes() throws CommandFailure {
        return memory.isEmpty() ? OptionalLong.empty() : OptionalLong.of(Sizes.bytes("--memory", memory));
    }

    /** Refuses devices, whose drivers take what no plan knows. */
    public void requireOnProcessor(BackendId backend) throws CommandFailure {
        if (backend != BackendId.VECTOR && backend != BackendId.REFERENCE) {
            throw CommandFailure.usage(
                    "--memory is for the backends vector and reference; of %s, --gpu-memory limits what it takes on its card"
                            .formatted(backend.text()));
        }
    }

    /** The option as it was given, with a space before it. */
    public String words() {
        return memory.isEmpty() ? "" : " --memory " + memory;
    }

    /** @param smallest of all plans, for the process that replays */
    public CommandFailure refusal(String what, MemoryPlan smallest, long ownBytes) {
        return CommandFailure.usage(
                "--memory %s is too little to replay %s: the least it takes is %s (%s). Nothing was started"
                        .formatted(
                                memory,
                                what,
                                "--memory " + Sizes.mebibytes(smallest.totalBytes() + ownBytes),
                                parts(smallest, ownBytes)));
    }

    /** The plan in a few lines. */
    public List<String> lines(MemoryPlan plan, long ownBytes) {
        return List.of(
                "memory     %s of %s, %s"
                        .formatted(
                                Sizes.mebibytes(plan.totalBytes() + ownBytes),
                                memory,
                                plan.manner().text()),
                "           " + parts(plan, ownBytes));
    }

    private static String parts(MemoryPlan plan, long ownBytes) {
        List<String> parts = new ArrayList<>();
        plan.parts().forEach(part -> parts.add("%s %s".formatted(part.name(), mebibytes(part.bytes()))));
        parts.add("the process that waits for it " + mebibytes(ownBytes));
        return parts.stream().collect(Collectors.joining(", "));
    }

    private static String mebibytes(long bytes) {
        return bytes < 10 * MIB ? String.format(Locale.ROOT, "%.1fM", bytes / (double) MIB) : Sizes.mebibytes(bytes);
    }

    /** The plan for programs. */
    public Json.Builder json(MemoryPlan plan, long ownBytes) throws CommandFailure {
        Json.Builder parts = Json.object();
        for (Part part : plan.parts()) {
            parts.put(part.name(), part.bytes());
        }
        return Json.object()
                .put("limitBytes", bytes().orElse(0))
                .put("plan", plan.manner().text())
                .put("plannedBytes", plan.totalBytes() + ownBytes)
                .put("heapBytes", plan.heapBytes())
                .put("parts", parts.put("waiting process", ownBytes).build());
    }
}
