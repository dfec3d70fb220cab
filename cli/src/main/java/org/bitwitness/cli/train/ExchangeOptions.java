package org.bitwitness.cli.train;

import java.util.List;
import java.util.Optional;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.PlantedFault;
import org.bitwitness.recorder.train.ExchangeSetting;
import picocli.CommandLine.Option;

/** Options of {@code train} that say how gradients travel. */
final class ExchangeOptions {
    private static final int KIB = 1024;

    @Option(
            names = "--exchange",
            paramLabel = "WAY",
            defaultValue = "star",
            description = "How gradients travel: star, through the coordinator, or direct, from worker to worker, each"
                    + " combining a share (default: ${DEFAULT-VALUE}). The bits are the same.")
    private String way;

    @Option(
            names = "--bucket",
            paramLabel = "KIB",
            defaultValue = "4096",
            description =
                    "With --exchange direct: about how much is sent at a time (default: ${DEFAULT-VALUE}). The bits"
                            + " are the same.")
    private int bucket;

    @Option(
            names = "--optimizer-state",
            paramLabel = "HOW",
            defaultValue = "replicated",
            description =
                    "Who keeps the optimizer's moments: replicated, every worker all of them, or sharded, every worker"
                            + " those of its share; sharded needs --exchange direct (default: ${DEFAULT-VALUE}). The bits are the"
                            + " same.")
    private String optimizerState;

    ExchangeSetting setting() throws CommandFailure {
        if (bucket < 1 || bucket > Integer.MAX_VALUE / KIB) {
            throw CommandFailure.usage("--bucket is at least 1, got " + bucket);
        }
        ExchangeSetting.Path path = switch (way) {
            case "star" -> ExchangeSetting.Path.STAR;
            case "direct" -> ExchangeSetting.Path.DIRECT;
            default -> throw CommandFailure.usage("--exchange is star or direct, got \"%s\"".formatted(way));
        };
        boolean sharded = switch (optimizerState) {
            case "replicated" -> false;
            case "sharded" -> true;
            default ->
                throw CommandFailure.usage(
                        "--optimizer-state is replicated or sharded, got \"%s\"".formatted(optimizerState));
        };
        return CommandFailure.typed(() -> new ExchangeSetting(path, bucket * KIB, sharded));
    }

    /** Refuses a run that cannot be trained so. */
    void require(Descriptor descriptor, List<PlantedFault> faults) throws CommandFailure {
        Optional<String> refusal = setting().refusal(descriptor, faults);
        if (refusal.isPresent()) {
            throw CommandFailure.usage("--optimizer-state sharded: " + refusal.get());
        }
    }
}
