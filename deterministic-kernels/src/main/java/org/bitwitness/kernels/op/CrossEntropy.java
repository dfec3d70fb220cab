package org.bitwitness.kernels.op;

import java.util.List;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.MicroBatch;
import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.protocol.Phase;

/**
 * Softmax cross-entropy with its gradient. Per row: m = row max + (+0); e = exp(l − m); z = SUM128(e);
 * loss = (m + log z) − l_y; dLogits = ((e·(1/z)) − [j = y])·invCount. A row without target: loss +0, gradient +0.
 * A row is a token, or a sequence: then its target is that of its last token, and no other token has one.
 *
 * @param logits [N, V]
 * @param losses [N]; overwritten
 * @param dLogits [N, V]; overwritten; may be logits itself
 */
public record CrossEntropy(String name, Tensor logits, Tensor losses, Tensor dLogits) implements Operator {
    public CrossEntropy {
        Check.vector(name, losses, logits.rows());
        Check.matrix(name, dLogits, logits.rows(), logits.columns());
        Check.apart(name, losses, logits, dLogits);
    }

    /**
     * Refuses a micro-batch that this operator was not built for.
     *
     * @throws IllegalArgumentException naming what does not fit
     */
    public void requireBatch(MicroBatch batch) {
        if (ofSequences(batch)) {
            BatchCheck.lastTargets(name, batch, logits.columns());
        } else {
            BatchCheck.targets(name, batch, logits.rows(), logits.columns());
        }
    }

    /** A target for each row of the logits. */
    public int[] targets(MicroBatch batch) {
        return ofSequences(batch) ? batch.lastTargets() : batch.targets();
    }

    private boolean ofSequences(MicroBatch batch) {
        return logits.rows() != batch.tokens() && logits.rows() == batch.sequences();
    }

    @Override
    public String kind() {
        return "cross_entropy";
    }

    @Override
    public Phase phase() {
        return Phase.FORWARD;
    }

    @Override
    public List<Tensor> inputs() {
        return List.of(logits);
    }

    @Override
    public List<Tensor> outputs() {
        return List.of(losses, dLogits);
    }

    @Override
    public BatchInput batchInput() {
        return BatchInput.TARGETS;
    }

    @Override
    public void run(Backend backend, OperatorContext context) {
        backend.crossEntropy(this, context);
    }
}
