package org.bitwitness.kernels;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.bitwitness.kernels.OperatorCase.Maker;
import org.bitwitness.kernels.OperatorCase.Recipe;
import org.bitwitness.kernels.op.Attention;
import org.bitwitness.kernels.op.AttentionGradient;
import org.bitwitness.kernels.op.AttentionShape;
import org.bitwitness.kernels.op.CrossEntropy;
import org.bitwitness.kernels.op.DropoutAdd;
import org.bitwitness.kernels.op.DropoutGradient;
import org.bitwitness.kernels.op.DropoutSite;
import org.bitwitness.kernels.op.Embedding;
import org.bitwitness.kernels.op.EmbeddingGradient;
import org.bitwitness.kernels.op.Gelu;
import org.bitwitness.kernels.op.GeluGradient;
import org.bitwitness.kernels.op.HeadsView;
import org.bitwitness.kernels.op.LayerNorm;
import org.bitwitness.kernels.op.LayerNormGradient;
import org.bitwitness.kernels.op.Linear;
import org.bitwitness.kernels.op.LinearInputGradient;
import org.bitwitness.kernels.op.LinearWeightGradient;
import org.bitwitness.kernels.op.RmsNorm;
import org.bitwitness.kernels.op.RmsNormGradient;
import org.bitwitness.kernels.op.Rope;
import org.bitwitness.kernels.op.SwiGlu;
import org.bitwitness.kernels.op.SwiGluGradient;
import org.bitwitness.kernels.op.WeightLayout;
import org.bitwitness.kernels.program.DropoutRate;

/** Random cases for every method of {@link Backend}, over awkward sizes and values. */
final class OperatorCases {
    static final List<String> KINDS = List.of(
            "embedding",
            "embeddingGradient",
            "linear",
            "linearInputGradient",
            "linearWeightGradient",
            "layerNorm",
            "layerNormGradient",
            "rmsNorm",
            "rmsNormGradient",
            "rope",
            "attention",
            "attentionGradient",
            "gelu",
            "geluGradient",
            "swiGlu",
            "swiGluGradient",
            "dropoutAdd",
            "dropoutGradient",
            "crossEntropy",
            "functions",
            "add",
            "scale",
            "combineExact",
            "sumOfSquares",
            "sum",
            "allFinite",
            "adamW",
            "fillInitial",
            "sgd",
            "trimmedMean",
            "squaredDistance",
            "weightedSum",
            "roundToBf16");

    private static final List<Values> STYLES = List.of(Values.values());
    private static final List<ScalarFunction> FUNCTIONS = List.of(ScalarFunction.values());
    private static final int[] AWKWARD = {
        1, 2, 3, 5, 7, 13, 16, 31, 64, 97, 127, 128, 129, 255, 257, 511, 512, 513, 521, 1031
    };
    private static final int[] LONG = {257, 511, 512, 513, 521, 769, 1023, 1024, 1025, 1031, 1537};

    /** Elements or multiply-adds of a case, about: enough for every loop, tile and chunk. */
    static final int FULL = 400_000;

    private final SplittableRandom random;
    private final int work;

    OperatorCases(long seed) {
        this(seed, FULL);
    }

    /** Cases of {@code work} elements or multiply-adds at most, about: slow modes of the JVM want few. */
    OperatorCases(long seed, int work) {
        this.random = new SplittableRandom(seed);
        this.work = work;
    }

    /** {@code count} cases of one kind; values of all styles in turn. */
    List<OperatorCase> of(String kind, int count) {
        List<OperatorCase> cases = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Values values = STYLES.get(i % STYLES.size());
            cases.add(next(kind, values));
        }
        return cases;
    }

    private OperatorCase next(String kind, Values values) {
        long seed = random.nextLong();
        SplittableRandom shapes = new SplittableRandom(seed ^ 0x5DEECE66DL);
        Recipe recipe = switch (kind) {
            case "embedding" -> embedding(shapes);
            case "embeddingGradient" -> embeddingGradient(shapes);
            case "linear" -> linear(shapes, sizes(shapes));
            case "linearInputGradient" -> linearInputGradient(shapes, sizes(shapes));
            case "linearWeightGradient" -> linearWeightGradient(shapes, sizes(shapes));
            case "layerNorm", "layerNormGradient", "rmsNorm", "rmsNormGradient" -> norm(kind, shapes);
            case "rope" -> rope(shapes);
            case "attention", "attentionGradient" -> attention(kind, shapes);
            case "gelu", "geluGradient", "swiGlu", "swiGluGradient" -> elementwise(kind, shapes);
            case "dropoutAdd", "dropoutGradient" -> dropout(kind, shapes);
            case "crossEntropy" -> crossEntropy(shapes);
            case "functions" -> functions(shapes);
            case "adamW" -> adamW(shapes);
            case "sgd", "trimmedMean", "squaredDistance", "weightedSum", "roundToBf16" -> UpdateCases.of(kind, shapes);
            default -> global(kind, shapes);
        };
        return new OperatorCase(kind, seed, values, recipe);
    }

    private Recipe embedding(SplittableRandom shapes) {
        MicroBatch batch = batch(shapes, 300, pick(shapes, 513));
        int vocab = vocab(batch);
        int width = fit(shapes, batch.tokens());
        boolean positions = shapes.nextBoolean();
        DropoutSite site = site(shapes, 0);
        return (make, backend) -> {
            Tensor tokens = make.tensor("tokens", vocab, width);
            Optional<Tensor> position =
                    positions ? Optional.of(make.tensor("positions", batch.length() + 1, width)) : Optional.empty();
            Tensor out = make.output("out", batch.tokens(), width);
            backend.embedding(new Embedding("case", tokens, position, site, out), context(batch));
            return List.of();
        };
    }

    private Recipe embeddingGradient(SplittableRandom shapes) {
        MicroBatch batch = batch(shapes, 1100, shapes.nextInt(1, 12));
        int vocab = vocab(batch);
        int width = fit(shapes, batch.tokens());
        boolean positions = shapes.nextBoolean();
        boolean add = shapes.nextBoolean();
        DropoutSite site = site(shapes, 0);
        return (make, backend) -> {
            Tensor dOut = make.tensor("dOut", batch.tokens(), width);
            Tensor dTokens = add ? make.tensor("dTokens", vocab, width) : make.output("dTokens", vocab, width);
            Optional<Tensor> dPositions =
                    positions ? Optional.of(make.output("dPositions", batch.length() + 1, width)) : Optional.empty();
            backend.embeddingGradient(
                    new EmbeddingGradient("case", dOut, site, add, dTokens, dPositions), context(batch));
            return List.of();
        };
    }

    /** Forward and both gradients of a linear layer of exactly this size. */
    static List<OperatorCase> products(int rows, int inputs, int outputs) {
        Sizes sizes = new Sizes(rows, inputs, outputs);
        long seed = 31L * (31L * rows + inputs) + outputs;
        return List.of(
                new OperatorCase("linear", seed, Values.ORDINARY, linear(new SplittableRandom(seed), sizes)),
                new OperatorCase(
                        "input gradient",
                        seed,
                        Values.ORDINARY,
                        linearInputGradient(new SplittableRandom(seed), sizes)),
                new OperatorCase(
                        "weight gradient",
                        seed,
                        Values.ORDINARY,
                        linearWeightGradient(new SplittableRandom(seed), sizes)));
    }

    private static Recipe linear(SplittableRandom shapes, Sizes s) {
        WeightLayout layout = layout(shapes);
        boolean biased = shapes.nextBoolean();
        return (make, backend) -> {
            Tensor x = make.tensor("x", s.rows, s.inputs);
            Tensor w = matrix(make, layout, s.inputs, s.outputs);
            Optional<Tensor> bias = biased ? Optional.of(make.tensor("bias", s.outputs)) : Optional.empty();
            backend.linear(new Linear("case", x, w, bias, layout, make.output("y", s.rows, s.outputs)));
            return List.of();
        };
    }

    private static Recipe linearInputGradient(SplittableRandom shapes, Sizes s) {
        WeightLayout layout = layout(shapes);
        boolean add = shapes.nextBoolean();
        return (make, backend) -> {
            Tensor dy = make.tensor("dy", s.rows, s.outputs);
            Tensor w = matrix(make, layout, s.inputs, s.outputs);
            Tensor dx = add ? make.tensor("dx", s.rows, s.inputs) : make.output("dx", s.rows, s.inputs);
            backend.linearInputGradient(new LinearInputGradient("case", dy, w, layout, add, dx));
            return List.of();
        };
    }

    private static Recipe linearWeightGradient(SplittableRandom shapes, Sizes s) {
        WeightLayout layout = layout(shapes);
        boolean biased = shapes.nextBoolean();
        return (make, backend) -> {
            Tensor x = make.tensor("x", s.rows, s.inputs);
            Tensor dy = make.tensor("dy", s.rows, s.outputs);
            Tensor dw = layout == WeightLayout.IN_OUT
                    ? make.output("dWeight", s.inputs, s.outputs)
                    : make.output("dWeight", s.outputs, s.inputs);
            Optional<Tensor> bias = biased ? Optional.of(make.output("dBias", s.outputs)) : Optional.empty();
            backend.linearWeightGradient(new LinearWeightGradient("case", x, dy, layout, dw, bias));
            return List.of();
        };
    }

    private Recipe norm(String kind, SplittableRandom shapes) {
        int width = pick(shapes, 1031);
        int rows = Math.max(1, Math.min(pick(shapes, 1031), work / 4 / width));
        boolean add = shapes.nextBoolean();
        return (make, backend) -> {
            Tensor x = make.tensor("x", rows, width);
            Tensor gain = make.tensor("gain", width);
            switch (kind) {
                case "layerNorm" ->
                    backend.layerNorm(new LayerNorm(
                            "case",
                            x,
                            gain,
                            make.tensor("bias", width),
                            1e-5f,
                            make.output("y", rows, width),
                            make.output("mean", rows),
                            make.output("rstd", rows)));
                case "rmsNorm" ->
                    backend.rmsNorm(new RmsNorm(
                            "case", x, gain, 1e-6f, make.output("y", rows, width), make.output("rstd", rows)));
                case "layerNormGradient" ->
                    backend.layerNormGradient(new LayerNormGradient(
                            "case",
                            make.tensor("dy", rows, width),
                            x,
                            gain,
                            make.tensor("mean", rows),
                            make.tensor("rstd", rows),
                            add,
                            add ? make.tensor("dx", rows, width) : make.output("dx", rows, width),
                            make.output("dGain", width),
                            make.output("dBias", width)));
                default ->
                    backend.rmsNormGradient(new RmsNormGradient(
                            "case",
                            make.tensor("dy", rows, width),
                            x,
                            gain,
                            make.tensor("rstd", rows),
                            add,
                            add ? make.tensor("dx", rows, width) : make.output("dx", rows, width),
                            make.output("dGain", width)));
            }
            return List.of();
        };
    }

    private Recipe rope(SplittableRandom shapes) {
        int half = shapes.nextInt(1, 40);
        int heads = shapes.nextInt(1, 5);
        AttentionShape shape = new AttentionShape(shapes.nextInt(1, 4), shapes.nextInt(1, 60), heads, 1, 2 * half);
        boolean inverse = shapes.nextBoolean();
        return (make, backend) -> {
            Tensor cos = make.tensor("cos", shape.length() + 2, half);
            Tensor sin = make.tensor("sin", shape.length() + 2, half);
            Tensor x = make.tensor("x", shape.tokens(), (long) heads * 2 * half);
            backend.rope(new Rope("case", shape, cos, sin, inverse, x));
            return List.of();
        };
    }

    private Recipe attention(String kind, SplittableRandom shapes) {
        int kvHeads = shapes.nextInt(1, 3);
        int group = shapes.nextInt(1, 4);
        int length = work == FULL && shapes.nextInt(12) == 0
                ? 513 + shapes.nextInt(20)
                : pick(shapes, work == FULL ? 140 : 12);
        int sequences = length > 200 ? 1 : shapes.nextInt(1, 3);
        int headDim = length > 200 ? 2 : new int[] {1, 3, 8, 16, 32, 33, 64, 128, 129}[shapes.nextInt(9)];
        AttentionShape shape = length > 200
                ? new AttentionShape(1, length, 1, 1, headDim)
                : new AttentionShape(sequences, length, kvHeads * group, kvHeads, headDim);
        DropoutSite site = site(shapes, 1);
        boolean fused = shapes.nextBoolean();
        return (make, backend) -> {
            int queryWidth = shape.heads() * headDim;
            int kvWidth = shape.kvHeads() * headDim;
            HeadsView[] qkv = views(make, "", fused, shape.tokens(), queryWidth, kvWidth, false);
            Tensor out = make.output("out", shape.tokens(), queryWidth);
            Tensor max = make.output("max", shape.rows());
            Tensor sum = make.output("sum", shape.rows());
            float scale = (float) (1.0 / Math.sqrt(headDim));
            Attention forward = new Attention("case", shape, qkv[0], qkv[1], qkv[2], scale, site, out, max, sum);
            MicroBatch batch = plainBatch(shape.sequences(), shape.length());
            if (kind.equals("attention")) {
                backend.attention(forward, context(batch));
                return List.of();
            }
            // The backward's inputs come from the oracle, so that a forward fault is not counted twice.
            Backends.create(BackendId.REFERENCE, 1).attention(forward, context(batch));
            Tensor dOut = make.tensor("dOut", shape.tokens(), queryWidth);
            HeadsView[] d = views(make, "d", fused, shape.tokens(), queryWidth, kvWidth, true);
            backend.attentionGradient(new AttentionGradient("case", forward, dOut, d[0], d[1], d[2]), context(batch));
            return List.of();
        };
    }

    private static HeadsView[] views(
            Maker make, String prefix, boolean fused, int tokens, int queryWidth, int kvWidth, boolean output) {
        if (fused) {
            int stride = queryWidth + 2 * kvWidth;
            Tensor all =
                    output ? make.output(prefix + "qkv", tokens, stride) : make.tensor(prefix + "qkv", tokens, stride);
            return new HeadsView[] {
                new HeadsView(all, 0), new HeadsView(all, queryWidth), new HeadsView(all, queryWidth + kvWidth)
            };
        }
        HeadsView[] out = new HeadsView[3];
        for (int i = 0; i < 3; i++) {
            int width = i == 0 ? queryWidth : kvWidth;
            String name = prefix + "qkv".charAt(i);
            out[i] = new HeadsView(output ? make.output(name, tokens, width) : make.tensor(name, tokens, width), 0);
        }
        return out;
    }

    private Recipe elementwise(String kind, SplittableRandom shapes) {
        int width = pick(shapes, 1031);
        int rows = Math.max(1, Math.min(pick(shapes, 40), work / 4 / width));
        boolean inPlace = shapes.nextBoolean();
        return (make, backend) -> {
            Tensor x = make.tensor("x", rows, width);
            switch (kind) {
                case "gelu" -> backend.gelu(new Gelu("case", x, inPlace ? x : make.output("y", rows, width)));
                case "geluGradient" -> {
                    Tensor dy = make.tensor("dy", rows, width);
                    backend.geluGradient(
                            new GeluGradient("case", x, dy, inPlace ? dy : make.output("dx", rows, width)));
                }
                case "swiGlu" ->
                    backend.swiGlu(
                            new SwiGlu("case", x, make.tensor("up", rows, width), make.output("y", rows, width)));
                default ->
                    backend.swiGluGradient(new SwiGluGradient(
                            "case",
                            x,
                            make.tensor("up", rows, width),
                            make.tensor("dy", rows, width),
                            make.output("dGate", rows, width),
                            make.output("dUp", rows, width)));
            }
            return List.of();
        };
    }

    private Recipe dropout(String kind, SplittableRandom shapes) {
        int width = pick(shapes, 1031);
        int rows = Math.max(1, Math.min(pick(shapes, 60), work / 4 / width));
        boolean inPlace = shapes.nextBoolean();
        DropoutSite site = kind.equals("dropoutGradient") ? DropoutRate.of(0.3).site(2) : site(shapes, 2);
        return (make, backend) -> {
            Tensor x = make.tensor("x", rows, width);
            OperatorContext context = context(plainBatch(1, rows));
            if (kind.equals("dropoutAdd")) {
                Tensor branch = make.tensor("branch", rows, width);
                backend.dropoutAdd(
                        new DropoutAdd("case", x, branch, site, inPlace ? x : make.output("out", rows, width)),
                        context);
            } else {
                backend.dropoutGradient(
                        new DropoutGradient("case", x, site, inPlace ? x : make.output("dx", rows, width)), context);
            }
            return List.of();
        };
    }

    private Recipe crossEntropy(SplittableRandom shapes) {
        int vocab = Math.max(2, pick(shapes, 1031));
        MicroBatch batch = batch(shapes, Math.max(2, Math.min(64, work / 10 / vocab)), vocab);
        boolean inPlace = shapes.nextBoolean();
        return (make, backend) -> {
            Tensor logits = make.tensor("logits", batch.tokens(), vocab);
            Tensor losses = make.output("losses", batch.tokens());
            Tensor d = inPlace ? logits : make.output("dLogits", batch.tokens(), vocab);
            backend.crossEntropy(new CrossEntropy("case", logits, losses, d), context(batch));
            return List.of();
        };
    }

    private Recipe functions(SplittableRandom shapes) {
        int size = 4 * pick(shapes, 1031) + shapes.nextInt(4) + 1;
        ScalarFunction function = FUNCTIONS.get(shapes.nextInt(FUNCTIONS.size()));
        long bitsSeed = shapes.nextLong();
        return (make, backend) -> {
            Tensor x = make.tensor(function.text() + ".x", size);
            SplittableRandom bits = new SplittableRandom(bitsSeed);
            for (int i = 0; i < size; i += 2) {
                x.data()[i] = Float.intBitsToFloat(bits.nextInt());
            }
            backend.apply(function, x, make.output("y", size));
            return List.of();
        };
    }

    private Recipe adamW(SplittableRandom shapes) {
        int[] sizes = {pick(shapes, 1031), 3 * pick(shapes, 1031), shapes.nextInt(1, Math.min(5_000, work))};
        AdamWConstants constants = new AdamWConstants(
                0.9f,
                0.95f,
                (float) (1 - 0.9),
                (float) (1 - 0.95),
                1e-8f,
                3e-3f,
                1.7f,
                0.9999f,
                shapes.nextBoolean() ? 1f : 0.37f);
        return (make, backend) -> {
            List<AdamWSlot> slots = new ArrayList<>();
            for (int i = 0; i < sizes.length; i++) {
                slots.add(new AdamWSlot(
                        make.tensor("w" + i, sizes[i]),
                        make.tensor("m" + i, sizes[i]),
                        make.positive("v" + i, sizes[i]),
                        make.tensor("g" + i, sizes[i]),
                        i != 1));
            }
            return List.of(backend.adamW(slots, constants) ? 1.0 : 0.0);
        };
    }

    private Recipe global(String kind, SplittableRandom shapes) {
        int big = work == FULL && shapes.nextInt(4) == 0 ? 65_536 + pick(shapes, 1031) : pick(shapes, 1031) * 3;
        int small = pick(shapes, 1031);
        int workers = shapes.nextInt(1, 6);
        boolean inPlace = shapes.nextBoolean();
        return (make, backend) -> {
            Tensor a = make.tensor("a", big);
            Tensor b = make.tensor("b", small);
            return switch (kind) {
                case "add" -> {
                    backend.add(List.of(a, b), List.of(make.tensor("c", big), make.tensor("d", small)));
                    yield List.of();
                }
                case "scale" -> {
                    backend.scale(List.of(a, b), (float) (1.0 / workers));
                    yield List.of();
                }
                case "sumOfSquares" -> List.of(backend.sumOfSquares(List.of(a, b)));
                case "sum" -> List.of(backend.sum(a, 0.5));
                case "allFinite" -> {
                    float[] last = make.random().nextBoolean() ? a.data() : b.data();
                    // One infinity among finite numbers, mostly where a whole register does not reach.
                    last[last.length - 1] = make.random().nextInt(3) == 0 ? 0f : Float.NEGATIVE_INFINITY;
                    yield List.of(backend.allFinite(List.of(b, a)) ? 1.0 : 0.0);
                }
                case "fillInitial" -> {
                    backend.fillInitial(make.output("w", small), 0x0123_4567_89ab_cdefL, workers, 0.02f);
                    yield List.of();
                }
                case "combineExact" -> {
                    List<Tensor> byWorker = new ArrayList<>(List.of(a));
                    for (int w = 1; w < workers; w++) {
                        byWorker.add(make.tensor("w" + w, big));
                    }
                    int[] exponents = backend.combineExact(byWorker, inPlace ? a : make.output("out", big));
                    yield Arrays.stream(exponents).mapToObj(e -> (double) e).toList();
                }
                default -> throw new IllegalArgumentException(kind);
            };
        };
    }

    private record Sizes(int rows, int inputs, int outputs) {}

    private Sizes sizes(SplittableRandom shapes) {
        int[] three = new int[3];
        long product = Long.MAX_VALUE;
        int longest = shapes.nextInt(3);
        while (product > 2L * work) {
            product = 1;
            for (int i = 0; i < 3; i++) {
                // One side near or over the chunk of 512 terms; every side is the inner one of some product.
                three[i] = i == longest ? LONG[shapes.nextInt(LONG.length)] : pick(shapes, 1031);
                product *= three[i];
            }
        }
        return new Sizes(three[0], three[1], three[2]);
    }

    private static Tensor matrix(Maker make, WeightLayout layout, int inputs, int outputs) {
        return layout == WeightLayout.IN_OUT
                ? make.tensor("weight", inputs, outputs)
                : make.tensor("weight", outputs, inputs);
    }

    private static WeightLayout layout(SplittableRandom shapes) {
        return shapes.nextBoolean() ? WeightLayout.IN_OUT : WeightLayout.OUT_IN;
    }

    private static DropoutSite site(SplittableRandom shapes, int operator) {
        return shapes.nextBoolean() ? DropoutRate.of(0.1).site(operator) : DropoutSite.none(operator);
    }

    private int pick(SplittableRandom shapes, int most) {
        int limit = Math.min(most, Math.max(3, work / 8));
        int size = AWKWARD[shapes.nextInt(AWKWARD.length)];
        return size <= limit ? size : shapes.nextInt(1, limit + 1);
    }

    private int fit(SplittableRandom shapes, int tokens) {
        return Math.max(1, Math.min(pick(shapes, 257), work / 8 / tokens));
    }

    private MicroBatch batch(SplittableRandom shapes, int maxTokens, int vocab) {
        int length = Math.min(pick(shapes, 257), maxTokens);
        int sequences = Math.max(1, Math.min(shapes.nextInt(1, 9), maxTokens / length));
        int[] ids = shapes.ints((long) sequences * length, 0, vocab).toArray();
        int[] targets = shapes.ints((long) sequences * length, -1, vocab).toArray();
        return new MicroBatch(sequences, length, ids, targets);
    }

    private static int vocab(MicroBatch batch) {
        return Math.max(
                2,
                1
                        + Math.max(
                                Arrays.stream(batch.ids()).max().orElse(0),
                                Arrays.stream(batch.targets()).max().orElse(0)));
    }

    private static MicroBatch plainBatch(int sequences, int length) {
        return new MicroBatch(sequences, length, new int[sequences * length], new int[sequences * length]);
    }

    private static OperatorContext context(MicroBatch batch) {
        return new OperatorContext(batch, 0x1234_5678_9abc_def0L, 7, 3, 1, 1f / 96);
    }
}
