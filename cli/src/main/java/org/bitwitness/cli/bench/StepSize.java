package org.bitwitness.cli.bench;

import java.util.List;
import java.util.Locale;
import org.bitwitness.cli.support.CommandFailure;

/**
 * The size of a GPT-2 training step, known by the same name to {@code benchmarks/pytorch/kernels.py}.
 *
 * @param name width, layers, sequence length, sequences, vocabulary
 * @param sequences of one micro-batch
 * @param dropout rate of every dropout
 */
record StepSize(
        String name,
        int width,
        int layers,
        int heads,
        int length,
        int sequences,
        int microBatches,
        int vocab,
        double dropout) {
    static final List<StepSize> ALL = List.of(
            plain(256, 4, 256, 8, 4096),
            plain(512, 4, 256, 4, 8192),
            new StepSize("step-demo", 128, 4, 4, 128, 2, 2, 257, 0.1));

    /** For GPUs; {@code benchmarks/gpu/peer.py} has the same. The larger one has 1.6·10^9 parameters. */
    static final StepSize GPT_124M = new StepSize("gpt-124m", 768, 12, 12, 1024, 4, 2, 50_257, 0);

    static final StepSize GPT_1600M = new StepSize("gpt-1600m", 1600, 48, 25, 1024, 2, 2, 50_257, 0);
    static final StepSize GPT_TINY = new StepSize("gpt-tiny", 64, 1, 1, 16, 1, 2, 64, 0);

    private static final int HEAD_WIDTH = 64;

    private static StepSize plain(int width, int layers, int length, int sequences, int vocab) {
        String name = String.format(Locale.ROOT, "step-%d-%d-%d-%d-%d", width, layers, length, sequences, vocab);
        return new StepSize(name, width, layers, width / HEAD_WIDTH, length, sequences, 1, vocab, 0);
    }

    static StepSize named(String name) throws CommandFailure {
        return ALL.stream()
                .filter(size -> size.name.equals(name))
                .findFirst()
                .orElseThrow(() -> CommandFailure.usage("no step '" + name + "'; there are "
                        + ALL.stream().map(StepSize::name).toList()));
    }
}
