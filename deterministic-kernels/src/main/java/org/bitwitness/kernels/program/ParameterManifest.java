package org.bitwitness.kernels.program;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bitwitness.kernels.program.Parameter.Init;
import org.bitwitness.protocol.tensor.Shape;
import org.bitwitness.protocol.tensor.Utf8Order;

/** The trainable parameters of a model in manifest order: ascending UTF-8 bytes of their names, a tied tensor once. */
public final class ParameterManifest {
    private final List<Parameter> parameters;
    private final Map<String, Parameter> byName = new HashMap<>();

    private ParameterManifest(List<Parameter> parameters) {
        this.parameters = List.copyOf(parameters);
        parameters.forEach(p -> byName.put(p.name(), p));
    }

    public static ParameterManifest of(ModelConfig model) {
        List<Draft> drafts = drafts(model);
        drafts.sort((a, b) -> Utf8Order.COMPARATOR.compare(a.name, b.name));
        return number(drafts);
    }

    /**
     * The same parameters in the given order, which then decides tensor indexes and the order of the gradient norm.
     *
     * @throws IllegalArgumentException if {@code order} does not name every parameter exactly once
     */
    public static ParameterManifest of(ModelConfig model, List<String> order) {
        Map<String, Draft> drafts = new HashMap<>();
        drafts(model).forEach(d -> drafts.put(d.name, d));
        if (!new HashSet<>(order).equals(drafts.keySet()) || order.size() != drafts.size()) {
            throw new IllegalArgumentException("the manifest should name each of the model's %d parameters once: %s"
                    .formatted(
                            drafts.size(),
                            drafts.keySet().stream()
                                    .sorted(Utf8Order.COMPARATOR)
                                    .toList()));
        }
        List<Draft> sorted = new ArrayList<>();
        for (String name : order) {
            Draft draft = drafts.get(name);
            if (draft != null) {
                sorted.add(draft);
            }
        }
        return number(sorted);
    }

    /**
     * The other name of a tied output matrix, under which some files hold the embedding a second time.
     *
     * @param name of the copy
     * @param of the parameter that it has to be equal to
     */
    public record Alias(String name, Parameter of) {}

    /** What may stand twice in a file of somebody else's; empty where the head is a parameter of its own. */
    public Optional<Alias> tiedHead(ModelConfig model) {
        return model.tied() ? Optional.of(new Alias(Names.HEAD, get(Names.tokens(model)))) : Optional.empty();
    }

    /** In manifest order. */
    public List<Parameter> parameters() {
        return parameters;
    }

    public int count() {
        return parameters.size();
    }

    public Parameter get(int index) {
        return parameters.get(index);
    }

    /**
     * Finds a parameter by name.
     *
     * @throws IllegalArgumentException if the model has no such parameter
     */
    public Parameter get(String name) {
        Parameter parameter = byName.get(name);
        if (parameter == null) {
            throw new IllegalArgumentException("the model has no parameter called " + name);
        }
        return parameter;
    }

    /** Equal where names, shapes and order are, and what becomes of each parameter. */
    @Override
    public boolean equals(Object other) {
        return this == other || (other instanceof ParameterManifest that && parameters.equals(that.parameters));
    }

    @Override
    public int hashCode() {
        return parameters.hashCode();
    }

    private record Draft(String name, Shape shape, Init init) {}

    private static ParameterManifest number(List<Draft> drafts) {
        List<Parameter> numbered = new ArrayList<>();
        for (Draft d : drafts) {
            numbered.add(new Parameter(numbered.size(), d.name, d.shape, d.shape.dimensions() >= 2, d.init));
        }
        return new ParameterManifest(numbered);
    }

    private static List<Draft> drafts(ModelConfig model) {
        return switch (model.family()) {
            case GPT2 -> gpt2(model);
            case LLAMA -> llama(model);
            case MLP -> mlp(model);
        };
    }

    private static List<Draft> gpt2(ModelConfig m) {
        List<Draft> out = new ArrayList<>();
        Shape perChannel = Shape.of(m.width());
        out.add(new Draft(Names.GPT2_TOKENS, Shape.of(m.vocab(), m.width()), Init.NORMAL));
        out.add(new Draft(Names.GPT2_POSITIONS, Shape.of(m.context(), m.width()), Init.NORMAL));
        for (int layer = 0; layer < m.layers(); layer++) {
            String h = Names.gpt2Block(layer);
            norm(out, h + "ln_1", perChannel);
            conv1d(out, h + "attn.c_attn", Shape.of(m.width(), 3L * m.width()), Init.NORMAL);
            conv1d(out, h + "attn.c_proj", Shape.of(m.width(), m.width()), Init.NORMAL_PROJECTION);
            norm(out, h + "ln_2", perChannel);
            conv1d(out, h + "mlp.c_fc", Shape.of(m.width(), m.feedForward()), Init.NORMAL);
            conv1d(out, h + "mlp.c_proj", Shape.of(m.feedForward(), m.width()), Init.NORMAL_PROJECTION);
        }
        norm(out, Names.GPT2_FINAL_NORM, perChannel);
        if (!m.tied()) {
            out.add(new Draft(Names.HEAD, Shape.of(m.vocab(), m.width()), Init.NORMAL));
        }
        return out;
    }

    private static List<Draft> mlp(ModelConfig m) {
        List<Draft> out = new ArrayList<>();
        out.add(new Draft(Names.MLP_TOKENS, Shape.of(m.vocab(), m.width()), Init.NORMAL));
        long in = (long) m.context() * m.width();
        for (int layer = 0; layer < m.layers(); layer++) {
            linear(out, Names.mlpLayer(layer), Shape.of(m.feedForward(), in));
            in = m.feedForward();
        }
        linear(out, Names.MLP_HEAD, Shape.of(m.vocab(), in));
        return out;
    }

    private static void linear(List<Draft> out, String name, Shape weight) {
        out.add(new Draft(name + ".weight", weight, Init.NORMAL_PROJECTION));
        out.add(new Draft(name + ".bias", Shape.of(weight.extent(0)), Init.ZEROS));
    }

    private static void norm(List<Draft> out, String name, Shape shape) {
        out.add(new Draft(name + ".weight", shape, Init.ONES));
        out.add(new Draft(name + ".bias", shape, Init.ZEROS));
    }

    private static void conv1d(List<Draft> out, String name, Shape weight, Init init) {
        out.add(new Draft(name + ".weight", weight, init));
        out.add(new Draft(name + ".bias", Shape.of(weight.extent(1)), Init.ZEROS));
    }

    private static List<Draft> llama(ModelConfig m) {
        List<Draft> out = new ArrayList<>();
        Shape perChannel = Shape.of(m.width());
        out.add(new Draft(Names.LLAMA_TOKENS, Shape.of(m.vocab(), m.width()), Init.NORMAL));
        for (int layer = 0; layer < m.layers(); layer++) {
            String h = Names.llamaBlock(layer);
            Shape kv = Shape.of(m.kvWidth(), m.width());
            Shape up = Shape.of(m.feedForward(), m.width());
            out.add(new Draft(h + "input_layernorm.weight", perChannel, Init.ONES));
            out.add(new Draft(h + "self_attn.q_proj.weight", Shape.of(m.queryWidth(), m.width()), Init.NORMAL));
            out.add(new Draft(h + "self_attn.k_proj.weight", kv, Init.NORMAL));
            out.add(new Draft(h + "self_attn.v_proj.weight", kv, Init.NORMAL));
            out.add(new Draft(
                    h + "self_attn.o_proj.weight", Shape.of(m.width(), m.queryWidth()), Init.NORMAL_PROJECTION));
            out.add(new Draft(h + "post_attention_layernorm.weight", perChannel, Init.ONES));
            out.add(new Draft(h + "mlp.gate_proj.weight", up, Init.NORMAL));
            out.add(new Draft(h + "mlp.up_proj.weight", up, Init.NORMAL));
            out.add(new Draft(
                    h + "mlp.down_proj.weight", Shape.of(m.width(), m.feedForward()), Init.NORMAL_PROJECTION));
        }
        out.add(new Draft(Names.LLAMA_FINAL_NORM + ".weight", perChannel, Init.ONES));
        if (!m.tied()) {
            out.add(new Draft(Names.HEAD, Shape.of(m.vocab(), m.width()), Init.NORMAL));
        }
        return out;
    }
}
