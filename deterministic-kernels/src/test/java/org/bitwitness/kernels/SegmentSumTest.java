package org.bitwitness.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.bitwitness.kernels.program.CombineRule;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.ModelConfig;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.protocol.record.Averaging;
import org.bitwitness.protocol.record.ModelSpec.Family;
import org.bitwitness.protocol.record.OptimizerSpec;
import org.bitwitness.protocol.record.Reduction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Segments combined one by one give what whole gradients give: sums, exponents, norm. */
class SegmentSumTest {
    private static final ModelConfig MODEL =
            new ModelConfig(Family.GPT2, 11, 4, 8, 1, 1, 1, 8, 17_001, 1e-5, 0.0, true, ModelConfig.Dropouts.NONE);
    private static final OptimizerSpec.AdamW OPTIMIZER = new OptimizerSpec.AdamW(0.9, 0.95, 1e-8, 0.1, 1.0);

    @ParameterizedTest
    @CsvSource({
        "ORDERED, ascending, TOKENS, 3",
        "ORDERED, binary-blocks, WORKERS, 6",
        "ORDERED, ascending, WORKERS, 1",
        "EXACT, none, TOKENS, 4",
        "EXACT, none, WORKERS, 2",
        "MEDIAN, none, WORKERS, 5",
        "TRIMMED_MEAN(1), none, WORKERS, 4"
    })
    void segmentsGiveTheBitsOfTheWhole(String reduction, String tree, Averaging averaging, int workers) {
        long seed = new Random().nextLong();
        CombineRule rule = CombineRule.of(Reduction.parse(reduction), tree, workers);
        ParameterManifest manifest = ParameterManifest.of(MODEL);
        List<Gradients> gradients = random(manifest, workers, seed);
        List<WorkerLoss> losses = new ArrayList<>();
        for (int w = 0; w < workers; w++) {
            losses.add(new WorkerLoss(1.5 + w, 8));
        }
        for (BackendId backend : new BackendId[] {BackendId.REFERENCE, BackendId.VECTOR}) {
            try (StepEngine engine = StepEngine.create(MODEL, backend, 1)) {
                Gradients sums = Gradients.zero(manifest);
                List<List<Integer>> exponents = new ArrayList<>();
                double squares = combine(engine, rule, averaging, gradients, sums, exponents);
                ReduceResult bySegments = StepEngine.reduceSegments(sums, squares, losses, OPTIMIZER, averaging);
                CombineResult whole =
                        engine.combine(gradients.stream().map(Gradients::copy).toList(), rule);
                ReduceResult reduced = engine.reduce(whole, losses, averaging, OPTIMIZER.maxNorm());
                String when = "seed %d, %s".formatted(seed, backend);
                assertEquals(
                        TensorRoots.combined(reduced.combined(), Runnable::run),
                        TensorRoots.combined(sums, Runnable::run),
                        when);
                assertEquals(
                        List.of(reduced.norm(), reduced.clip(), reduced.loss(), reduced.targetCount(), reduced.valid()),
                        List.of(
                                bySegments.norm(),
                                bySegments.clip(),
                                bySegments.loss(),
                                bySegments.targetCount(),
                                bySegments.valid()),
                        when);
                assertEquals(whole.exponents(), whole.exponents().isEmpty() ? List.of() : exponents, when);
            }
        }
    }

    private static double combine(
            StepEngine engine,
            CombineRule rule,
            Averaging averaging,
            List<Gradients> gradients,
            Gradients into,
            List<List<Integer>> exponents) {
        double chain = 0;
        for (Parameter p : into.manifest().parameters()) {
            List<Integer> ofParameter = new ArrayList<>();
            for (int at = 0; at < p.size(); at += SegmentSum.ELEMENTS) {
                int from = at;
                int to = Math.min(p.size(), at + SegmentSum.ELEMENTS);
                SegmentSum sum = engine.combineSegment(
                        gradients.stream()
                                .map(g -> Arrays.copyOfRange(g.tensor(p.index()), from, to))
                                .toList(),
                        rule,
                        averaging,
                        new float[to - from]);
                System.arraycopy(sum.data(), 0, into.tensor(p.index()), at, to - at);
                sum.exponent().ifPresent(ofParameter::add);
                chain = chain + sum.sumOfSquares();
            }
            exponents.add(ofParameter);
        }
        return chain;
    }

    private static List<Gradients> random(ParameterManifest manifest, int workers, long seed) {
        Random random = new Random(seed);
        List<Gradients> out = new ArrayList<>();
        for (int w = 0; w < workers; w++) {
            Gradients gradients = Gradients.zero(manifest);
            for (Parameter p : manifest.parameters()) {
                float[] data = gradients.tensor(p.index());
                for (int i = 0; i < data.length; i++) {
                    data[i] = (float) (random.nextGaussian() * Math.scalb(1.0, random.nextInt(20) - 30));
                }
            }
            out.add(gradients);
        }
        return out;
    }
}
