package org.bitwitness.cli.train;

import org.bitwitness.cli.support.CommandFailure;
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

    ExchangeSetting setting() throws CommandFailure {
        if (bucket < 1 || bucket > Integer.MAX_VALUE / KIB) {
            throw CommandFailure.usage("--bucket is at least 1, got " + bucket);
        }
        return switch (way) {
            case "star" -> CommandFailure.typed(() -> new ExchangeSetting(ExchangeSetting.Path.STAR, bucket * KIB));
            case "direct" -> CommandFailure.typed(() -> ExchangeSetting.direct(bucket * KIB));
            default -> throw CommandFailure.usage("--exchange is star or direct, got \"%s\"".formatted(way));
        };
    }
}
