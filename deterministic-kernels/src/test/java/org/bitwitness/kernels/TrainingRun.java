package org.bitwitness.kernels;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.bitwitness.kernels.program.CombineRule;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.ModelTensors;
import org.bitwitness.kernels.program.StepConfig;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.record.Averaging;
import org.bitwitness.protocol.record.ModelSpec.Family;
import org.bitwitness.protocol.record.ReductionTree;
import org.bitwitness.protocol.tensor.TensorDigests;

/**
 * Trains a tiny model of a family on random tokens: two workers, micro-batches of unequal sizes, dropout, clipping, a
 * falling learning rate. GPT-2 combines ORDERED over all tokens, LLaMA EXACT by workers. Also a program, for child JVMs:
 * arguments are family, backend, threads, steps; prints the root of the state's tensors.
 */
final class TrainingRun {
    private static final long SEED = 0x0bad_5eedL;

    private TrainingRun() {}

    /** Root over parameters and moments after so many steps. Closes the backend. */
    static Sha256 root(String family, Backend backend, int steps) {
        StepConfig golden = GoldenFiles.config(family, 1);
        try (StepEngine engine =
                StepEngine.create(ModelTensors.of(golden.model(), golden.manifest(), golden.profile()), backend)) {
            HostState state = engine.initialState(golden.initial(), golden.optimizer());
            for (int step = 1; step <= steps; step++) {
                if (!StepRunner.run(engine, config(golden, step), state).valid()) {
                    throw new IllegalStateException("step " + step + " is invalid");
                }
            }
            return TensorDigests.tensorsRoot(state.tensors(), Runnable::run);
        }
    }

    private static StepConfig config(StepConfig golden, int step) {
        boolean gpt2 = golden.model().family() == Family.GPT2;
        SplittableRandom random = new SplittableRandom(SEED + step);
        int vocab = golden.model().vocab();
        List<MicroBatch> first = List.of(batch(random, 2, 16, vocab), batch(random, 1, 23, vocab));
        List<MicroBatch> second = List.of(batch(random, 3, 7, vocab));
        return new StepConfig(
                golden.profile(),
                golden.model(),
                golden.manifest(),
                golden.ropeTable(),
                golden.initial(),
                golden.seed(),
                step,
                3e-3 / (1 + step * 0.01),
                golden.optimizer(),
                gpt2 ? new CombineRule.Ordered(ReductionTree.ascending(2)) : new CombineRule.Exact(),
                gpt2 ? Averaging.TOKENS : Averaging.WORKERS,
                List.of(first, second));
    }

    /** Tokens with something to learn: mostly the one before plus 7; some targets are not counted. */
    private static MicroBatch batch(SplittableRandom random, int sequences, int length, int vocab) {
        List<int[]> ids = new ArrayList<>();
        List<int[]> targets = new ArrayList<>();
        for (int s = 0; s < sequences; s++) {
            int[] text = new int[length + 1];
            text[0] = random.nextInt(vocab);
            for (int i = 1; i <= length; i++) {
                text[i] = random.nextInt(8) == 0 ? random.nextInt(vocab) : (text[i - 1] + 7) % vocab;
            }
            int[] next = new int[length];
            for (int i = 0; i < length; i++) {
                next[i] = random.nextInt(10) == 0 ? MicroBatch.NO_TARGET : text[i + 1];
            }
            ids.add(Arrays.copyOf(text, length));
            targets.add(next);
        }
        return MicroBatch.of(ids.toArray(int[][]::new), targets.toArray(int[][]::new));
    }

    public static void main(String[] args) {
        Backend backend = Backends.create(BackendId.parse(args[1]), Integer.parseInt(args[2]));
        System.out.println(root(args[0], backend, Integer.parseInt(args[3])).hex());
    }
}
