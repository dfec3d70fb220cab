package org.bitwitness.kernels;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.bitwitness.kernels.op.CrossEntropy;
import org.bitwitness.kernels.op.DropoutAdd;
import org.bitwitness.kernels.op.EmbeddingGradient;
import org.bitwitness.kernels.op.Gelu;
import org.bitwitness.kernels.op.LayerNorm;
import org.bitwitness.kernels.op.Linear;
import org.bitwitness.kernels.op.LinearInputGradient;
import org.bitwitness.kernels.op.LinearWeightGradient;
import org.bitwitness.kernels.op.RmsNorm;
import org.bitwitness.kernels.op.RmsNormGradient;
import org.bitwitness.kernels.op.Rope;
import org.bitwitness.kernels.op.SwiGlu;
import org.bitwitness.kernels.op.WeightLayout;
import org.bitwitness.protocol.random.Philox4x32;
import org.bitwitness.protocol.tensor.Shape;

/**
 * Backends with one planted fault each: the reference, but for one method that does what a plausible optimisation or slip
 * would do. A comparison that does not see them proves nothing.
 */
final class Mutants {
    /**
     * One fault.
     *
     * @param kind the kind of {@link OperatorCases} that must catch it
     * @param method the method of {@link Backend} that is replaced
     * @param body arguments to result; runs instead of the method
     */
    record Mutant(String kind, String method, Function<Object[], Object> body) {}

    private static final Map<String, Mutant> ALL = new LinkedHashMap<>();
    private static final Backend REFERENCE = Backends.create(BackendId.REFERENCE, 1);
    private static final Object VOID = "void";

    private Mutants() {}

    static Set<String> names() {
        return ALL.keySet();
    }

    static Mutant get(String name) {
        Mutant mutant = ALL.get(name);
        if (mutant == null) {
            throw new IllegalArgumentException("no mutant is called " + name);
        }
        return mutant;
    }

    static Backend named(String name) {
        Mutant mutant = get(name);
        InvocationHandler handler = (proxy, method, arguments) -> {
            if (method.getName().equals(mutant.method)) {
                Object result = mutant.body.apply(arguments);
                return result.equals(VOID) ? null : result;
            }
            try {
                return method.invoke(REFERENCE, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        };
        return (Backend)
                Proxy.newProxyInstance(Backend.class.getClassLoader(), new Class<?>[] {Backend.class}, handler);
    }

    static {
        on("linear", Linear.class, "linear: bias starts the chain", op -> linear(op, true, Integer.MAX_VALUE, 512));
        on("linear", Linear.class, "linear: the last term of k is dropped", op -> linear(op, false, -1, 512));
        on("linear", Linear.class, "linear: chunks of 256", op -> linear(op, false, Integer.MAX_VALUE, 256));
        on("linear", Linear.class, "linear: no chunks", op -> linear(op, false, Integer.MAX_VALUE, 1 << 30));
        on("linear", Linear.class, "linear: the raw chain may end in -0", Mutants::linearRawChain);
        on(
                "linearInputGradient",
                LinearInputGradient.class,
                "input gradient: multiply and add apart",
                Mutants::inputGradientUnfused);
        on(
                "linearWeightGradient",
                LinearWeightGradient.class,
                "weight gradient: tokens descending",
                Mutants::weightGradientDescending);
        on("layerNorm", LayerNorm.class, "layer norm: eps fused into the variance", op -> layerNorm(op, true));
        on("layerNorm", LayerNorm.class, "layer norm: lanes added one after the other", op -> layerNorm(op, false));
        on("rmsNorm", RmsNorm.class, "rms norm: x times (r times gain)", Mutants::rmsNormReassociated);
        on(
                "rmsNormGradient",
                RmsNormGradient.class,
                "rms norm gradient: r times (r times r) by pow",
                Mutants::rmsNormGradientCube);
        on("rope", Rope.class, "rope: the other product is fused", Mutants::ropeFusedOtherwise);
        on("gelu", Gelu.class, "gelu: constant 0.044715 one ulp off", op -> gelu(op, Math.nextUp(0.044715f), false));
        on("gelu", Gelu.class, "gelu: 1 + t fused with the half", op -> gelu(op, 0.044715f, true));
        on("swiGlu", SwiGlu.class, "swiglu: gate times (sigmoid times up)", Mutants::swiGluReassociated);
        withContext("dropoutAdd", DropoutAdd.class, "dropout: threshold compared as signed", Mutants::dropoutSigned);
        withContext("crossEntropy", CrossEntropy.class, "cross entropy: log z added last", Mutants::crossEntropyOrder);
        withContext(
                "embeddingGradient",
                EmbeddingGradient.class,
                "embedding gradient: tokens descending",
                Mutants::embeddingDescending);
        ALL.put("adamw: denominator fused", new Mutant("adamW", "adamW", Mutants::adamWFused));
        ALL.put("exact: exponent one too large", new Mutant("combineExact", "combineExact", Mutants::exactLoose));
        ALL.put("norm: segments chained in float32", new Mutant("sumOfSquares", "sumOfSquares", Mutants::normInFloat));
        ALL.put("losses: one chain instead of lanes", new Mutant("sum", "sum", Mutants::plainSum));
        ALL.put(
                "functions: exp rounded correctly instead of as specified",
                new Mutant("functions", "apply", Mutants::correctlyRoundedExp));
    }

    private static <T> void on(String method, Class<T> type, String name, Consumer<T> body) {
        ALL.put(name, new Mutant(method, method, arguments -> {
            body.accept(type.cast(arguments[0]));
            return VOID;
        }));
    }

    private static <T> void withContext(
            String method, Class<T> type, String name, BiConsumer<T, OperatorContext> body) {
        ALL.put(name, new Mutant(method, method, arguments -> {
            body.accept(type.cast(arguments[0]), (OperatorContext) arguments[1]);
            return VOID;
        }));
    }

    private static float weight(Tensor w, WeightLayout layout, int inputs, int outputs, int i, int o) {
        return w.data()[layout == WeightLayout.IN_OUT ? i * outputs + o : o * inputs + i];
    }

    private static void linear(Linear op, boolean biasFirst, int lastTerm, int chunk) {
        int inputs = op.x().columns();
        int outputs = op.y().columns();
        int end = lastTerm < 0 ? inputs - 1 : inputs;
        for (int n = 0; n < op.x().rows(); n++) {
            for (int o = 0; o < outputs; o++) {
                float bias = op.bias().isPresent() ? op.bias().get().data()[o] : 0f;
                float total = 0f;
                float s = biasFirst ? bias : 0f;
                for (int i = 0; i < end; i++) {
                    s = Math.fma(
                            op.x().data()[n * inputs + i], weight(op.weight(), op.layout(), inputs, outputs, i, o), s);
                    if ((i + 1) % chunk == 0) {
                        total += s;
                        s = 0f;
                    }
                }
                total += s;
                op.y().data()[n * outputs + o] = biasFirst || op.bias().isEmpty() ? total : total + bias;
            }
        }
    }

    private static void linearRawChain(Linear op) {
        REFERENCE.linear(op);
        int inputs = op.x().columns();
        int outputs = op.y().columns();
        for (int n = 0; n < op.x().rows() && inputs <= 512 && op.bias().isEmpty(); n++) {
            for (int o = 0; o < outputs; o++) {
                float s = 0f;
                for (int i = 0; i < inputs; i++) {
                    s = Math.fma(
                            op.x().data()[n * inputs + i], weight(op.weight(), op.layout(), inputs, outputs, i, o), s);
                }
                op.y().data()[n * outputs + o] = s;
            }
        }
    }

    private static void inputGradientUnfused(LinearInputGradient op) {
        int inputs = op.dx().columns();
        int outputs = op.dy().columns();
        for (int n = 0; n < op.dy().rows(); n++) {
            for (int i = 0; i < inputs; i++) {
                float total = 0f;
                float s = 0f;
                for (int o = 0; o < outputs; o++) {
                    s += op.dy().data()[n * outputs + o] * weight(op.weight(), op.layout(), inputs, outputs, i, o);
                    if (o % 512 == 511) {
                        total += s;
                        s = 0f;
                    }
                }
                total += s;
                int at = n * inputs + i;
                op.dx().data()[at] = op.add() ? op.dx().data()[at] + total : total;
            }
        }
    }

    private static void weightGradientDescending(LinearWeightGradient op) {
        REFERENCE.linearWeightGradient(op);
        int inputs = op.x().columns();
        int outputs = op.dy().columns();
        for (int i = 0; i < inputs; i++) {
            for (int o = 0; o < outputs; o++) {
                float s = 0f;
                for (int n = op.x().rows() - 1; n >= 0; n--) {
                    s = Math.fma(op.x().data()[n * inputs + i], op.dy().data()[n * outputs + o], s);
                }
                op.dWeight().data()[op.layout() == WeightLayout.IN_OUT ? i * outputs + o : o * inputs + i] = s;
            }
        }
    }

    private static void layerNorm(LayerNorm op, boolean fuseEps) {
        int width = op.x().columns();
        float invN = (float) (1.0 / width);
        for (int row = 0; row < op.x().rows(); row++) {
            float[] x = Arrays.copyOfRange(op.x().data(), row * width, (row + 1) * width);
            float mean = (fuseEps ? lanes(x, false) : plain(x)) * invN;
            float[] z = new float[width];
            for (int c = 0; c < width; c++) {
                z[c] = x[c] - mean;
            }
            float ss = lanes(z, true);
            float r = 1f / (float) Math.sqrt(fuseEps ? Math.fma(ss, invN, op.eps()) : ss * invN + op.eps());
            for (int c = 0; c < width; c++) {
                op.y().data()[row * width + c] =
                        Math.fma(z[c] * r, op.gain().data()[c], op.bias().data()[c]);
            }
            op.mean().data()[row] = mean;
            op.rstd().data()[row] = r;
        }
    }

    private static float plain(float[] x) {
        float s = 0f;
        for (float v : x) {
            s += v;
        }
        return s;
    }

    private static float lanes(float[] x, boolean squares) {
        float[] lane = new float[128];
        for (int i = 0; i < x.length; i++) {
            lane[i % 128] = squares ? Math.fma(x[i], x[i], lane[i % 128]) : lane[i % 128] + x[i];
        }
        for (int w = 64; w > 0; w /= 2) {
            for (int l = 0; l < w; l++) {
                lane[l] += lane[l + w];
            }
        }
        return lane[0] + 0f;
    }

    private static void rmsNormReassociated(RmsNorm op) {
        REFERENCE.rmsNorm(op);
        int width = op.x().columns();
        for (int i = 0; i < op.x().size(); i++) {
            float r = op.rstd().data()[i / width];
            op.y().data()[i] = op.x().data()[i] * (r * op.gain().data()[i % width]);
        }
    }

    private static void rmsNormGradientCube(RmsNormGradient op) {
        int width = op.x().columns();
        float[] before = op.dx().data().clone();
        REFERENCE.rmsNormGradient(op);
        float invN = (float) (1.0 / width);
        for (int row = 0; row < op.x().rows(); row++) {
            float r = op.rstd().data()[row];
            float[] lane = new float[128];
            for (int c = 0; c < width; c++) {
                float h = op.dy().data()[row * width + c] * op.gain().data()[c];
                lane[c % 128] = Math.fma(h, op.x().data()[row * width + c], lane[c % 128]);
            }
            for (int w = 64; w > 0; w /= 2) {
                for (int l = 0; l < w; l++) {
                    lane[l] += lane[l + w];
                }
            }
            float t = (lane[0] * invN) * (float) ((double) r * r * r);
            for (int c = 0; c < width; c++) {
                int i = row * width + c;
                float d = Math.fma(
                        -t, op.x().data()[i], (op.dy().data()[i] * op.gain().data()[c]) * r);
                op.dx().data()[i] = op.add() ? before[i] + d : d;
            }
        }
    }

    private static void ropeFusedOtherwise(Rope op) {
        int dim = op.shape().headDim();
        int half = dim / 2;
        float[] x = op.x().data();
        for (int at = 0; at < x.length; at += dim) {
            int position = at / op.x().columns() % op.shape().length();
            for (int i = 0; i < half; i++) {
                float c = op.cos().data()[position * half + i];
                float s = op.inverse()
                        ? -op.sin().data()[position * half + i]
                        : op.sin().data()[position * half + i];
                float x0 = x[at + i];
                float x1 = x[at + i + half];
                x[at + i] = Math.fma(x0, c, -x1 * s);
                x[at + i + half] = Math.fma(x0, s, x1 * c);
            }
        }
    }

    private static float tanh(float x) {
        Shape one = Shape.of(1);
        Tensor y = Tensor.of("y", one, new float[1]);
        REFERENCE.apply(ScalarFunction.TANH, Tensor.of("x", one, new float[] {x}), y);
        return y.data()[0];
    }

    private static void gelu(Gelu op, float cube, boolean fused) {
        float[] x = op.x().data().clone();
        for (int i = 0; i < x.length; i++) {
            float t = tanh(0x1.988454p-1f * Math.fma((x[i] * x[i]) * x[i], cube, x[i]));
            float halfX = 0.5f * x[i];
            op.y().data()[i] = fused ? Math.fma(halfX, t, halfX) : halfX * (1f + t);
        }
    }

    private static void swiGluReassociated(SwiGlu op) {
        Tensor s = Tensor.of("s", op.gate().shape(), new float[op.gate().size()]);
        REFERENCE.apply(ScalarFunction.SIGMOID, op.gate(), s);
        for (int i = 0; i < s.size(); i++) {
            op.y().data()[i] = op.gate().data()[i] * (s.data()[i] * op.up().data()[i]);
        }
    }

    private static void dropoutSigned(DropoutAdd op, OperatorContext context) {
        if (!op.dropout().active()) {
            REFERENCE.dropoutAdd(op, context);
            return;
        }
        int[] words = new int[4];
        for (int i = 0; i < op.x().size(); i++) {
            Philox4x32.block(
                    i >> 2,
                    (int) context.updateCount(),
                    context.philoxWorkerWord(),
                    op.dropout().operator(),
                    (int) context.dropoutSeed(),
                    (int) (context.dropoutSeed() >>> 32),
                    words);
            boolean keep = words[i & 3] < op.dropout().thresholdWord();
            op.out().data()[i] = op.x().data()[i]
                    + (keep ? op.branch().data()[i] * op.dropout().scale() : 0f);
        }
    }

    private static void crossEntropyOrder(CrossEntropy op, OperatorContext context) {
        float[] logits = op.logits().data().clone();
        REFERENCE.crossEntropy(op, context);
        int vocab = op.logits().columns();
        for (int row = 0; row < op.logits().rows(); row++) {
            int target = context.batch().targets()[row];
            if (target >= 0) {
                float max = Float.NEGATIVE_INFINITY;
                for (int j = 0; j < vocab; j++) {
                    max = Math.max(max, logits[row * vocab + j]);
                }
                float logZ = op.losses().data()[row] + logits[row * vocab + target] - max;
                op.losses().data()[row] = (max - logits[row * vocab + target]) + logZ;
            }
        }
    }

    private static void embeddingDescending(EmbeddingGradient op, OperatorContext context) {
        if (op.dropout().active() || op.add()) {
            REFERENCE.embeddingGradient(op, context);
            return;
        }
        REFERENCE.embeddingGradient(op, context);
        int width = op.dOut().columns();
        float[] sums = new float[op.dTokens().size()];
        for (int n = context.batch().tokens() - 1; n >= 0; n--) {
            for (int c = 0; c < width; c++) {
                sums[context.batch().ids()[n] * width + c] += op.dOut().data()[n * width + c];
            }
        }
        System.arraycopy(sums, 0, op.dTokens().data(), 0, sums.length);
    }

    @SuppressWarnings("unchecked")
    private static Object adamWFused(Object[] arguments) {
        List<AdamWSlot> slots = (List<AdamWSlot>) arguments[0];
        AdamWConstants k = (AdamWConstants) arguments[1];
        List<float[]> before =
                slots.stream().map(s -> s.parameter().data().clone()).toList();
        boolean valid = REFERENCE.adamW(slots, k);
        for (int s = 0; s < slots.size() && valid; s++) {
            AdamWSlot slot = slots.get(s);
            for (int i = 0; i < slot.parameter().size(); i++) {
                float root = (float) Math.sqrt(slot.v().data()[i]);
                float den = Math.fma(root, k.rootCorrection(), k.eps());
                float decay = slot.decays() ? k.decay() : 1f;
                slot.parameter().data()[i] = Math.fma(-k.step(), slot.m().data()[i] / den, before.get(s)[i] * decay);
            }
        }
        return valid;
    }

    @SuppressWarnings("unchecked")
    private static Object exactLoose(Object[] arguments) {
        List<Tensor> byWorker = (List<Tensor>) arguments[0];
        int[] exponents = REFERENCE.combineExact(byWorker, (Tensor) arguments[1]);
        for (int i = 0; i < exponents.length; i++) {
            if (exponents[i] != Exact.ZERO_SEGMENT && exponents[i] != Exact.NON_FINITE_SEGMENT) {
                exponents[i]++;
            }
        }
        return exponents;
    }

    @SuppressWarnings("unchecked")
    private static Object normInFloat(Object[] arguments) {
        float chain = 0f;
        for (Tensor tensor : (List<Tensor>) arguments[0]) {
            chain += (float) REFERENCE.sumOfSquares(List.of(tensor));
        }
        return (double) chain;
    }

    private static Object plainSum(Object[] arguments) {
        return (double) arguments[1] + plain(((Tensor) arguments[0]).data());
    }

    private static Object correctlyRoundedExp(Object[] arguments) {
        Tensor x = (Tensor) arguments[1];
        Tensor y = (Tensor) arguments[2];
        REFERENCE.apply((ScalarFunction) arguments[0], x, y);
        if (arguments[0] == ScalarFunction.EXP) {
            for (int i = 0; i < x.size(); i++) {
                y.data()[i] = (float) StrictMath.exp(x.data()[i]);
            }
        }
        return VOID;
    }
}
