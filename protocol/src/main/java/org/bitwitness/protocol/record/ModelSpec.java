package org.bitwitness.protocol.record;

import java.util.Optional;
import org.bitwitness.protocol.Sha256;

/**
 * The architecture.
 *
 * @param family {@code GPT2}, {@code LLAMA} or {@code MLP}, which has one head as wide as the model and reads none of it
 * @param kvHeads key and value heads; equal to {@code heads} unless heads are grouped
 * @param ff width of the MLP's inner layer
 * @param normEps added inside the square root of a norm
 * @param ropeTheta base of the rotary frequencies; +0 for the families that have none
 * @param tied whether the output matrix is the token embedding
 * @param ropeTable SHA-256 of the rotary table, because libraries differ in its last bits; exactly for LLaMA
 */
public record ModelSpec(
        Family family,
        int vocab,
        int context,
        int width,
        int layers,
        int heads,
        int kvHeads,
        int headDim,
        int ff,
        double normEps,
        double ropeTheta,
        boolean tied,
        Optional<Sha256> ropeTable) {
    public static final int MAX_EXTENT = 1 << 24;

    /** Step programs that the profile defines. */
    public enum Family {
        GPT2("gpt2"),
        LLAMA("llama"),
        MLP("mlp");

        private final String text;

        Family(String text) {
            this.text = text;
        }

        /** As in configuration files and descriptors. */
        public String text() {
            return text;
        }

        /**
         * The family with this spelling.
         *
         * @throws IllegalArgumentException naming the known families
         */
        public static Family ofText(String text) {
            for (Family family : values()) {
                if (family.text.equals(text)) {
                    return family;
                }
            }
            throw new IllegalArgumentException("no model family is called \"" + text + "\"; known: gpt2, llama, mlp");
        }
    }

    public ModelSpec {
        requireExtent("vocab", vocab);
        requireExtent("context", context);
        requireExtent("width", width);
        requireExtent("layers", layers);
        requireExtent("heads", heads);
        requireExtent("kvHeads", kvHeads);
        requireExtent("headDim", headDim);
        requireExtent("ff", ff);
        require(heads % kvHeads == 0, "heads should be a multiple of kvHeads");
        require(Double.isFinite(normEps) && normEps > 0, "normEps should be finite and over 0");
        require(Double.isFinite(ropeTheta) && ropeTheta >= 0, "ropeTheta should be finite and not negative");
        switch (family) {
            case GPT2 -> {
                require(heads == kvHeads, "a gpt2 model has kvHeads equal to heads");
                require((long) heads * headDim == width, "a gpt2 model has width = heads * headDim");
                require(ropeTable.isEmpty(), "a gpt2 model has no ropeTable");
            }
            case LLAMA -> {
                require(headDim % 2 == 0, "rotary positions need an even headDim");
                require(ropeTable.isPresent(), "a llama model names its ropeTable");
            }
            case MLP -> {
                require(heads == 1 && kvHeads == 1 && headDim == width, "an mlp has one head of headDim = width");
                require(!tied, "an mlp has an output matrix of its own, so tied should be false");
                require(ropeTheta == 0 && ropeTable.isEmpty(), "an mlp has no rotary positions");
            }
        }
    }

    private static void requireExtent(String name, int value) {
        require(
                value >= 1 && value <= MAX_EXTENT,
                "%s should be from 1 to %d, is %d".formatted(name, MAX_EXTENT, value));
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalArgumentException("model: " + what);
        }
    }
}
