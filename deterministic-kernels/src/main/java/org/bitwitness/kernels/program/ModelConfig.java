package org.bitwitness.kernels.program;

import org.bitwitness.protocol.record.ModelSpec.Family;

/**
 * Everything about a model that decides the step program.
 *
 * @param vocab tokens, at least 2
 * @param context longest sequence; of an mlp the length of every one
 * @param width C, channels of the residual stream
 * @param layers blocks
 * @param heads H, query heads
 * @param kvHeads key/value heads, divides H; equal to H for gpt2
 * @param headDim D; gpt2 needs H · D = C, llama needs D even, mlp has one head of C channels and reads none of it
 * @param feedForward inner width of the MLP; of an mlp that of every hidden layer
 * @param normEps epsilon of the norms, binary64; the kernels use it rounded to float32
 * @param ropeTheta base of the rotary frequencies, binary64; unused by gpt2
 * @param tied whether the output head is the token embedding
 * @param dropout the three rates
 */
public record ModelConfig(
        Family family,
        int vocab,
        int context,
        int width,
        int layers,
        int heads,
        int kvHeads,
        int headDim,
        int feedForward,
        double normEps,
        double ropeTheta,
        boolean tied,
        Dropouts dropout) {

    /**
     * Rates of the three kinds of dropout.
     *
     * @param embd after the embedding
     * @param attn on attention probabilities
     * @param resid after the attention and the MLP projection
     */
    public record Dropouts(DropoutRate embd, DropoutRate attn, DropoutRate resid) {
        public static final Dropouts NONE = new Dropouts(DropoutRate.NONE, DropoutRate.NONE, DropoutRate.NONE);
    }

    public ModelConfig {
        atLeast("vocab", vocab, 2);
        atLeast("context", context, 1);
        atLeast("width", width, 1);
        atLeast("layers", layers, 1);
        atLeast("heads", heads, 1);
        atLeast("kvHeads", kvHeads, 1);
        atLeast("headDim", headDim, 1);
        atLeast("feedForward", feedForward, 1);
        if (heads % kvHeads != 0) {
            throw new IllegalArgumentException("heads %d is not a multiple of kvHeads %d".formatted(heads, kvHeads));
        }
        if (!(normEps > 0) || !Double.isFinite(normEps)) {
            throw new IllegalArgumentException("normEps is positive and finite, got " + normEps);
        }
        switch (family) {
            case GPT2 -> {
                if (kvHeads != heads || (long) heads * headDim != width) {
                    throw new IllegalArgumentException(
                            "gpt2 needs kvHeads = heads and heads · headDim = width, got %d, %d, %d and %d"
                                    .formatted(kvHeads, heads, headDim, width));
                }
            }
            case LLAMA -> {
                if (headDim % 2 != 0 || !(ropeTheta > 0) || !Double.isFinite(ropeTheta)) {
                    throw new IllegalArgumentException(
                            "llama needs an even headDim and a positive finite ropeTheta, got %d and %s"
                                    .formatted(headDim, ropeTheta));
                }
            }
            case MLP -> {
                if (heads != 1
                        || headDim != width
                        || tied
                        || dropout.attn().site(0).active()) {
                    throw new IllegalArgumentException(
                            "mlp has one head of headDim = width, its own output matrix and no dropout of attention");
                }
                Math.multiplyExact(context, width);
            }
        }
        Math.multiplyExact(Math.multiplyExact(heads, headDim), 3);
    }

    /** Channels of all query heads, H · D. */
    public int queryWidth() {
        return heads * headDim;
    }

    /** Channels of all key (or value) heads. */
    public int kvWidth() {
        return kvHeads * headDim;
    }

    private static void atLeast(String field, int value, int least) {
        if (value < least) {
            throw new IllegalArgumentException("%s is at least %d, got %d".formatted(field, least, value));
        }
    }
}
