package org.bitwitness.kernels.op;

import java.util.List;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.protocol.Phase;

/**
 * One operator of a step program. A trace has one entry per operator, and one operator is one call of a
 * {@link Backend} method: backends may fuse inside an operator, never across.
 */
public sealed interface Operator
        permits Embedding,
                EmbeddingGradient,
                Linear,
                LinearInputGradient,
                LinearWeightGradient,
                LayerNorm,
                LayerNormGradient,
                RmsNorm,
                RmsNormGradient,
                Rope,
                Attention,
                AttentionGradient,
                Gelu,
                GeluGradient,
                SwiGlu,
                SwiGluGradient,
                Dropout,
                DropoutAdd,
                DropoutGradient,
                CrossEntropy {
    /** Unique in the program, for people: {@code h.0.attn.c_attn}. */
    String name();

    /** The kind of operator, part of trace entries: {@code linear}. */
    String kind();

    Phase phase();

    /** Tensors read, each once, in the order of the record's fields; an output that is added to is also an input. */
    List<Tensor> inputs();

    /** Tensors written completely, each once, in the order of the record's fields. */
    List<Tensor> outputs();

    /** What is read of the micro-batch. */
    default BatchInput batchInput() {
        return BatchInput.NONE;
    }

    /** Calls the one backend method that executes this operator. */
    void run(Backend backend, OperatorContext context);
}
