package org.bitwitness.datasets.release;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.bitwitness.datasets.ByteTokenizer;
import org.bitwitness.datasets.Dataset;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.datasets.JsonTokenizer;
import org.bitwitness.datasets.Tokenizer;
import org.bitwitness.datasets.TokenizerSpec;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.ModelSpec;
import org.bitwitness.protocol.tensor.Utf8Order;

/**
 * {@code config.json}, {@code tokenizer.json} and {@code tokenizer_config.json} of a released model, a pure function of
 * the descriptor. Nothing in them names code to load ({@code auto_map} never occurs).
 */
public final class ReleasedFiles {
    /** The weights, written by the canonical safetensors writer; not made here. */
    public static final String WEIGHTS = "model.safetensors";

    public static final String CONFIG = "config.json";
    public static final String TOKENIZER = "tokenizer.json";
    public static final String TOKENIZER_CONFIG = "tokenizer_config.json";

    private ReleasedFiles() {}

    /**
     * Every file but the weights, by name. Of tokenizers that are not files there is none.
     *
     * @param dataset folder of the run's dataset, read only for a tokenizer that does not follow from the descriptor
     * @throws DatasetException if the tokenizer is unknown, or is not the descriptor's
     */
    public static Map<String, byte[]> of(Descriptor descriptor, Path dataset) throws DatasetException {
        if (descriptor.tokenizer().kind().equals(ByteTokenizer.KIND)) {
            return of(descriptor, ByteTokenizer.INSTANCE);
        }
        try (Dataset opened = Dataset.open(dataset)) {
            return of(descriptor, opened.tokenizer());
        }
    }

    private static Map<String, byte[]> of(Descriptor descriptor, Tokenizer tokenizer) throws DatasetException {
        TokenizerSpec spec = tokenizer.spec();
        if (!descriptor.tokenizer().kind().equals(spec.kind())
                || !descriptor.tokenizer().digest().equals(spec.digest())) {
            throw DatasetException.bytes(
                    "the tokenizer should be %s with digest %s, the descriptor's; found %s with digest %s",
                    descriptor.tokenizer().kind(), descriptor.tokenizer().digest(), spec.kind(), spec.digest());
        }
        Map<String, byte[]> files = new TreeMap<>(Utf8Order.COMPARATOR);
        String config = config(descriptor, spec.endOfText()).sorted().toPrettyText() + "\n";
        files.put(CONFIG, config.getBytes(StandardCharsets.UTF_8));
        int context = descriptor.model().context();
        if (tokenizer instanceof JsonTokenizer json) {
            files.put(TOKENIZER, json.file().orElseThrow());
            files.put(TOKENIZER_CONFIG, ByteTokenizer.tokenizerConfigJson(context, json.endOfText()));
        } else if (spec.equals(ByteTokenizer.SPEC)) {
            files.put(TOKENIZER, ByteTokenizer.tokenizerJson());
            files.put(TOKENIZER_CONFIG, ByteTokenizer.tokenizerConfigJson(context, "<|endoftext|>"));
        }
        return files;
    }

    private static Json.Obj config(Descriptor descriptor, int endOfText) {
        return switch (descriptor.model().family()) {
            case GPT2 -> gpt2(descriptor, endOfText);
            case LLAMA -> llama(descriptor.model(), endOfText);
            case MLP -> mlp(descriptor, endOfText);
        };
    }

    private static Json.Obj gpt2(Descriptor descriptor, int endOfText) {
        ModelSpec model = descriptor.model();
        return common(model, endOfText, "gpt2", "GPT2LMHeadModel")
                .put("activation_function", "gelu_new")
                .put("attn_pdrop", decimal(descriptor.dropout().attn().rate()))
                .put("embd_pdrop", decimal(descriptor.dropout().embd().rate()))
                .put("resid_pdrop", decimal(descriptor.dropout().resid().rate()))
                .put("layer_norm_epsilon", decimal(model.normEps()))
                .put("n_ctx", model.context())
                .put("n_embd", model.width())
                .put("n_head", model.heads())
                .put("n_inner", model.ff())
                .put("n_layer", model.layers())
                .put("n_positions", model.context())
                .build();
    }

    private static Json.Obj llama(ModelSpec model, int endOfText) {
        return common(model, endOfText, "llama", "LlamaForCausalLM")
                .put("attention_bias", false)
                .put("head_dim", model.headDim())
                .put("hidden_act", "silu")
                .put("hidden_size", model.width())
                .put("intermediate_size", model.ff())
                .put("max_position_embeddings", model.context())
                .put("mlp_bias", false)
                .put("num_attention_heads", model.heads())
                .put("num_hidden_layers", model.layers())
                .put("num_key_value_heads", model.kvHeads())
                .put("rms_norm_eps", decimal(model.normEps()))
                .put("rope_theta", decimal(model.ropeTheta()))
                .build();
    }

    /** A model of no library: what its forward needs to know, in the words of the others. */
    private static Json.Obj mlp(Descriptor descriptor, int endOfText) {
        ModelSpec model = descriptor.model();
        return common(model, endOfText, "bitwitness_mlp", "BitwitnessMlp")
                .put("embd_pdrop", decimal(descriptor.dropout().embd().rate()))
                .put("hidden_act", "gelu_new")
                .put("hidden_dropout_prob", decimal(descriptor.dropout().resid().rate()))
                .put("hidden_size", model.ff())
                .put("n_embd", model.width())
                .put("n_positions", model.context())
                .put("num_hidden_layers", model.layers())
                .build();
    }

    private static Json.Builder common(ModelSpec model, int endOfText, String type, String architecture) {
        return Json.object()
                .put("architectures", Json.texts(List.of(architecture)))
                .put("model_type", type)
                .put("bos_token_id", endOfText)
                .put("eos_token_id", endOfText)
                .put("tie_word_embeddings", model.tied())
                .put("torch_dtype", "float32")
                .put("vocab_size", model.vocab());
    }

    /** The shortest decimal that reads back as the same binary64. */
    private static Json decimal(double value) {
        return new Json.Decimal(new BigDecimal(Double.toString(value)));
    }
}
