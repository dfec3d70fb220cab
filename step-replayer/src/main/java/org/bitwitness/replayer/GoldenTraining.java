package org.bitwitness.replayer;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Optional;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.GradientResult;
import org.bitwitness.kernels.MicroBatch;
import org.bitwitness.kernels.StepEngine;
import org.bitwitness.kernels.StepRunner;
import org.bitwitness.kernels.TensorRoots;
import org.bitwitness.kernels.program.CombineRule;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.ModelTensors;
import org.bitwitness.kernels.program.StepConfig;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.record.Averaging;
import org.bitwitness.protocol.record.ModelSpec.Family;
import org.bitwitness.protocol.record.ReductionTree;
import org.bitwitness.protocol.tensor.TensorDigests;

/**
 * A training run of 100 steps of either model family whose digest is known: what the reference backend computed, in
 * {@code training-expected.txt}. Longer than the {@link SelfTest}, so that a device which is wrong once in a million
 * operations is likely to be noticed; for {@code doctor}.
 *
 * <p>The digest is of every worker's gradient and of the state after every step. The last state alone would not do: AdamW
 * forgets. The last bit of an activation moves no weight, and the moments that it moves are the old ones again after some
 * twenty steps.
 */
public final class GoldenTraining {
    /** All of it. */
    public static final int STEPS = 100;

    /** After this many the digest is known, too, for devices that are slow. */
    public static final int FEW_STEPS = 2;

    public static final List<String> FAMILIES = List.of("gpt2", "llama");

    private static final String EXPECTED = "selftest/training-expected.txt";
    private static final int NO_TARGET_EVERY = 10;

    /**
     * What came out.
     *
     * @param root SHA-256 over the roots of all gradients and states of all steps
     * @param problem what was expected instead, or nothing when all bits agree
     */
    public record Result(String family, int steps, Sha256 root, Optional<String> problem) {}

    private final EngineFactory engines;

    public GoldenTraining(EngineFactory engines) {
        this.engines = engines;
    }

    /**
     * Trains.
     *
     * @param steps after which the digest is known: {@link #STEPS} or {@link #FEW_STEPS}
     * @throws org.bitwitness.kernels.BackendAbsentException if this machine has no such backend
     */
    public Result run(String family, BackendId backend, int threads, int steps) {
        Sha256 expected = expected(family, steps);
        Sha256 root = root(family, backend, threads, steps);
        return new Result(
                family,
                steps,
                root,
                root.equals(expected)
                        ? Optional.empty()
                        : Optional.of("the first %d steps of %s should hash to %s, hash to %s"
                                .formatted(steps, family, expected, root)));
    }

    private Sha256 root(String family, BackendId backend, int threads, int steps) {
        StepConfig model = SelfTest.config(family, 1);
        try (StepEngine engine =
                engines.engine(ModelTensors.of(model.model(), model.manifest(), model.profile()), backend, threads)) {
            HostState state = engine.initialState(model.initial(), model.optimizer());
            MessageDigest all = Hashing.newDigest();
            for (int step = 1; step <= steps; step++) {
                StepRunner.Outcome outcome = StepRunner.run(engine, config(model, step), state);
                if (!outcome.valid()) {
                    throw new IllegalStateException("step " + step + " of the golden training run is INVALID");
                }
                for (GradientResult worker : outcome.workers()) {
                    all.update(TensorRoots.gradient(worker.gradients(), Runnable::run)
                            .digest()
                            .bytes());
                }
                all.update(TensorDigests.tensorsRoot(state.tensors(), Runnable::run)
                        .bytes());
            }
            return Hashing.finish(all);
        }
    }

    /** Two workers with unequal micro-batches; GPT-2 combines ORDERED over all tokens, LLaMA EXACT by workers. */
    private static StepConfig config(StepConfig model, int step) {
        boolean gpt2 = model.model().family() == Family.GPT2;
        int vocab = model.model().vocab();
        return new StepConfig(
                model.profile(),
                model.model(),
                model.manifest(),
                model.ropeTable(),
                model.initial(),
                model.seed(),
                step,
                3e-3 / (1 + step * 0.01),
                model.optimizer(),
                gpt2 ? new CombineRule.Ordered(ReductionTree.ascending(2)) : new CombineRule.Exact(),
                gpt2 ? Averaging.TOKENS : Averaging.WORKERS,
                List.of(
                        List.of(batch(4 * step, 2, 8, vocab), batch(4 * step + 1, 1, 11, vocab)),
                        List.of(batch(4 * step + 2, 1, 17, vocab))));
    }

    /** Tokens with something to learn: mostly the one before plus 7. Some targets are not counted. */
    private static MicroBatch batch(int number, int sequences, int length, int vocab) {
        int[] ids = new int[sequences * length];
        int[] targets = new int[sequences * length];
        for (int s = 0; s < sequences; s++) {
            int[] text = new int[length + 1];
            for (int i = 0; i <= length; i++) {
                int drawn = draw(number, s, i);
                text[i] = i == 0 || drawn % 8 == 0 ? drawn % vocab : (text[i - 1] + 7) % vocab;
            }
            for (int i = 0; i < length; i++) {
                ids[s * length + i] = text[i];
                boolean counted = draw(number, s, length + 1 + i) % NO_TARGET_EVERY != 0;
                targets[s * length + i] = counted ? text[i + 1] : MicroBatch.NO_TARGET;
            }
        }
        return new MicroBatch(sequences, length, ids, targets);
    }

    /** A number from 0 to 2^31 − 1 that depends on nothing but its address. */
    private static int draw(int number, int sequence, int place) {
        long k = (((long) number << 32) | ((long) sequence << 16) | place) * 0x9e3779b97f4a7c15L;
        k = (k ^ (k >>> 29)) * 0xbf58476d1ce4e5b9L;
        return (int) (k >>> 33);
    }

    private static Sha256 expected(String family, int steps) {
        return lines().stream()
                .map(line -> line.split(" ", -1))
                .filter(words -> words[0].equals(family) && words[1].equals(Integer.toString(steps)))
                .map(words -> Sha256.ofHex(words[2]))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "no digest of %s is known after %d steps; known: %s".formatted(family, steps, lines())));
    }

    private static List<String> lines() {
        try (InputStream in = GoldenTraining.class.getResourceAsStream(EXPECTED)) {
            if (in == null) {
                throw new IllegalStateException("the file " + EXPECTED + " is missing from the build");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
