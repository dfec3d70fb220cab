package org.bitwitness.kernels;

import java.util.List;
import org.bitwitness.kernels.op.Attention;
import org.bitwitness.kernels.op.AttentionGradient;
import org.bitwitness.kernels.op.CrossEntropy;
import org.bitwitness.kernels.op.DropoutAdd;
import org.bitwitness.kernels.op.DropoutGradient;
import org.bitwitness.kernels.op.Embedding;
import org.bitwitness.kernels.op.EmbeddingGradient;
import org.bitwitness.kernels.op.Gelu;
import org.bitwitness.kernels.op.GeluGradient;
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

/**
 * Executes the operators of the numeric profiles. Two backends given the same bits return the same bits: order,
 * rounding and lanes are fixed by the operator's documentation and docs/numerics.md, never by the machine, the number of
 * threads or the size of a batch around a row.
 *
 * <p>The arguments of an operator were checked when the operator was built; a backend only checks what depends on the
 * context (batch shape, token ids). A backend never allocates results; scratch memory is its own and is reused.
 *
 * <p>Not thread safe: one thread of control calls one backend. NaN results may carry any payload in memory; whoever
 * hashes or compares writes 7fc00000 for every NaN.
 */
public interface Backend extends AutoCloseable {
    BackendId id();

    /** Threads it computes with; at least 1. */
    int threads();

    /** Gives a declared tensor storage of this backend, filled with +0. */
    void allocate(Tensor tensor);

    /**
     * Gives a declared tensor the contents of {@code host}. A host backend shares the array; a device backend copies it
     * and writes it back in {@link #fetch}.
     */
    void bind(Tensor tensor, float[] host);

    /** The current contents on the host: the shared array of a host backend, else a copy. Read only for the caller. */
    float[] fetch(Tensor tensor);

    /**
     * Gives up the storage of tensors that are not used again. A host backend's arrays belong to the garbage collector; a
     * device has no other way to know.
     */
    default void release(List<Tensor> tensors) {}

    void embedding(Embedding op, OperatorContext context);

    void embeddingGradient(EmbeddingGradient op, OperatorContext context);

    void linear(Linear op);

    void linearInputGradient(LinearInputGradient op);

    void linearWeightGradient(LinearWeightGradient op);

    void layerNorm(LayerNorm op);

    void layerNormGradient(LayerNormGradient op);

    void rmsNorm(RmsNorm op);

    void rmsNormGradient(RmsNormGradient op);

    void rope(Rope op);

    void attention(Attention op, OperatorContext context);

    void attentionGradient(AttentionGradient op, OperatorContext context);

    void gelu(Gelu op);

    void geluGradient(GeluGradient op);

    void swiGlu(SwiGlu op);

    void swiGluGradient(SwiGluGradient op);

    void dropoutAdd(DropoutAdd op, OperatorContext context);

    void dropoutGradient(DropoutGradient op, OperatorContext context);

    void crossEntropy(CrossEntropy op, OperatorContext context);

    /** y = f(x), element by element; y may be x. Used by sweeps and tests; NaN results are exactly 7fc00000. */
    void apply(ScalarFunction function, Tensor x, Tensor y);

    /** sum[i] = sum[i] + addend[i] for every pair of tensors: gradient accumulation, and one node of an ORDERED tree. */
    void add(List<Tensor> sum, List<Tensor> addend);

    /** t = t·factor, one rounded multiplication per element (averaging WORKERS). */
    void scale(List<Tensor> tensors, float factor);

    /**
     * EXACT combining of one parameter's gradient over all workers, segments of 65,536 elements from the tensor's start.
     *
     * @param byWorker at least one tensor, all of out's size; their order does not matter
     * @param out overwritten; may be one of the inputs
     * @return per segment the exponent E, smallest with max|g| &lt; 2^E; {@link Exact#ZERO_SEGMENT} where all are ±0 (out is
     *     +0 there); {@link Exact#NON_FINITE_SEGMENT} where an element is NaN or infinite (out is NaN in that whole segment,
     *     so that the norm is NaN and the step INVALID)
     */
    int[] combineExact(List<Tensor> byWorker, Tensor out);

    /**
     * Mean of every element without its extremes: the values are sorted ascending with −0 before +0 and NaN last; of the
     * middle ones s = x_trim, then s = s + x for each further one; out = s·(float)(1.0/how many).
     *
     * @param byWorker all of out's size, more than 2·trim
     * @param trim values left out at each end
     * @param out overwritten; aliases nothing
     */
    default void trimmedMean(List<Tensor> byWorker, int trim, Tensor out) {
        throw new BackendAbsentException(id(), "it has no robust combining yet");
    }

    /** As {@link #sumOfSquares}, over the float32 differences a − b of tensors of equal sizes, none of them stored. */
    default double squaredDistance(List<Tensor> a, List<Tensor> b) {
        throw new BackendAbsentException(id(), "it has no robust combining yet");
    }

    /**
     * out = weights[0]·terms[0], then out = fma(weights[i], terms[i], out) ascending, over lists of tensors.
     *
     * @param terms at least one, as many as weights
     * @param out overwritten; aliases nothing
     */
    default void weightedSum(List<List<Tensor>> terms, float[] weights, List<Tensor> out) {
        throw new BackendAbsentException(id(), "it has no robust combining yet");
    }

    /** Rounds every element to the nearest bfloat16, ties to even, in place; NaN becomes 7fc00000. */
    default void roundToBf16(List<Tensor> tensors) {
        throw new BackendAbsentException(id(), "it has no profile BF16-C512 yet");
    }

    /**
     * Gradient norm squared: per segment of 65,536 elements (restarting at each tensor) SUMSQ128 in float32, chained in
     * binary64 from +0 over all segments of all tensors in the order given.
     */
    double sumOfSquares(List<Tensor> tensors);

    /**
     * Chains a vector of token losses onto {@code start} in binary64: per segment of 65,536 elements SUM128 in float32.
     *
     * @param start +0 for a worker's first micro-batch, then the previous result
     */
    double sum(Tensor losses, double start);

    /** False if any element of any tensor is NaN or infinite. */
    boolean allFinite(List<Tensor> tensors);

    /**
     * AdamW on every slot, or on none: g = G·clip; m = fma(b1, m, o1·g); v = fma(b2, v, o2·(g·g));
     * den = (√v)·rc + eps; W = fma(−step, m/den, W·dec).
     *
     * @return false, with every tensor untouched, if any gradient, parameter or moment is not finite before or after
     */
    boolean adamW(List<AdamWSlot> slots, AdamWConstants constants);

    /**
     * The same for a state whose magnitudes may be known from its last update. Same bits as without.
     *
     * @param gradientBound upper bound of |gradient| over all slots; infinite if unknown
     * @param bounds of the slots' parameters and moments before; after it, if it updated
     */
    default boolean adamW(List<AdamWSlot> slots, AdamWConstants constants, double gradientBound, StateBounds bounds) {
        bounds.forget();
        return adamW(slots, constants);
    }

    /**
     * SGD with momentum on every slot, or on none: g = G·clip; where the slot decays g = fma(wd, W, g);
     * m = fma(μ, m, o·g); u = nesterov ? fma(μ, m, g) : m; W = fma(−step, u, W).
     *
     * @return false, with every tensor untouched, if any gradient, parameter or momentum is not finite before or after
     */
    default boolean sgd(List<SgdSlot> slots, SgdConstants constants) {
        throw new BackendAbsentException(id(), "it has no SGD yet");
    }

    /**
     * Draws initial weights: element n is (float)(Σ of the 12 words of Philox blocks 3n, 3n+1, 3n+2 − 6·2^32)·2^-32·std,
     * with c2 = 0 and c3 = 0x80000000 | tensorIndex.
     *
     * @param tensorIndex position in the manifest
     * @param std binary64 standard deviation rounded to float32
     */
    void fillInitial(Tensor out, long seed, int tensorIndex, float std);

    @Override
    void close();
}
