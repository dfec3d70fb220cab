package org.bitwitness.kernels.program;

/** Names of Hugging Face's {@code state_dict} for the transformers, and of the same kind for the MLP. */
final class Names {
    static final String GPT2_TOKENS = "transformer.wte.weight";
    static final String GPT2_POSITIONS = "transformer.wpe.weight";
    static final String GPT2_FINAL_NORM = "transformer.ln_f";
    static final String LLAMA_TOKENS = "model.embed_tokens.weight";
    static final String LLAMA_FINAL_NORM = "model.norm";
    static final String MLP_TOKENS = "embed.weight";
    static final String MLP_HEAD = "head";
    static final String HEAD = "lm_head.weight";

    private Names() {}

    /** The embedding of a family. */
    static String tokens(ModelConfig model) {
        return switch (model.family()) {
            case GPT2 -> GPT2_TOKENS;
            case LLAMA -> LLAMA_TOKENS;
            case MLP -> MLP_TOKENS;
        };
    }

    static String gpt2Block(int layer) {
        return "transformer.h." + layer + ".";
    }

    static String mlpLayer(int layer) {
        return "hidden." + layer;
    }

    static String llamaBlock(int layer) {
        return "model.layers." + layer + ".";
    }
}
