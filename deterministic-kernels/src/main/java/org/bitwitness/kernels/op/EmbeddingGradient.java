package org.bitwitness.kernels.op;

import java.util.List;
import java.util.Optional;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.MicroBatch;
import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.protocol.Phase;

/**
 * Backward of {@link Embedding}: d = dropout backward of dOut; dTokens[v] = DOT over the flat tokens with id v, dPositions[p]
 * = DOT over the flat tokens at position p (chunks of 512 counted on the flat index, absent terms are absent). Rows that no
 * token reads become +0. With {@code add} the DOT is added to what dTokens holds (tied weights: embedding DOT + output DOT).
 *
 * @param dOut [N, C], or [N/k, k·C] for k tokens side by side; not changed
 * @param dTokens [V, C]
 * @param dPositions [context, C]; overwritten
 */
public record EmbeddingGradient(
        String name, Tensor dOut, DropoutSite dropout, boolean add, Tensor dTokens, Optional<Tensor> dPositions)
        implements Operator {
    public EmbeddingGradient {
        Check.sideBySide(name, dOut, dTokens.columns());
        dPositions.ifPresent(p -> Check.matrix(name, p, p.rows(), dTokens.columns()));
        Check.apart(name, dTokens, dOut, dPositions.orElse(dOut));
        dPositions.ifPresent(p -> Check.apart(name, p, dOut));
    }

    /**
     * Refuses a micro-batch that this operator was not built for.
     *
     * @throws IllegalArgumentException naming what does not fit
     */
    public void requireBatch(MicroBatch batch) {
        BatchCheck.ids(name, batch, dOut.size() / dTokens.columns(), dTokens.rows());
        dPositions.ifPresent(p -> BatchCheck.length(name, batch, p.rows()));
    }

    @Override
    public String kind() {
        return "embedding_gradient";
    }

    @Override
    public Phase phase() {
        return Phase.BACKWARD;
    }

    @Override
    public List<Tensor> inputs() {
        return add ? List.of(dOut, dTokens) : List.of(dOut);
    }

    @Override
    public List<Tensor> outputs() {
        return dPositions.map(p -> List.of(dTokens, p)).orElse(List.of(dTokens));
    }

    @Override
    public BatchInput batchInput() {
        return BatchInput.IDS;
    }

    @Override
    public void run(Backend backend, OperatorContext context) {
        backend.embeddingGradient(this, context);
    }
}
