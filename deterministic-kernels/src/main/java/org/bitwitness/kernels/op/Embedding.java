package org.bitwitness.kernels.op;

import java.util.List;
import java.util.Optional;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.MicroBatch;
import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.protocol.Phase;

/**
 * Token embedding, plus position embedding where the family has one, then dropout:
 * {@code out[n] = drop(tokens[id[n]] + positions[n mod T])}; without positions {@code out[n] = drop(tokens[id[n]])}.
 * The dropout element is {@code n · C + channel}. Rows of out may hold several tokens side by side, which changes no byte.
 *
 * @param tokens [V, C]
 * @param positions [context, C], context at least the micro-batch's length
 * @param out [N, C], or [N/k, k·C] for k tokens side by side; overwritten; aliases nothing
 */
public record Embedding(String name, Tensor tokens, Optional<Tensor> positions, DropoutSite dropout, Tensor out)
        implements Operator {
    public Embedding {
        Check.sideBySide(name, out, tokens.columns());
        positions.ifPresent(p -> Check.matrix(name, p, p.rows(), tokens.columns()));
        Check.apart(name, out, tokens, positions.orElse(tokens));
    }

    /**
     * Refuses a micro-batch that this operator was not built for.
     *
     * @throws IllegalArgumentException naming what does not fit
     */
    public void requireBatch(MicroBatch batch) {
        BatchCheck.ids(name, batch, out.size() / tokens.columns(), tokens.rows());
        positions.ifPresent(p -> BatchCheck.length(name, batch, p.rows()));
    }

    @Override
    public String kind() {
        return "embedding";
    }

    @Override
    public Phase phase() {
        return Phase.FORWARD;
    }

    @Override
    public List<Tensor> inputs() {
        return positions.map(p -> List.of(tokens, p)).orElse(List.of(tokens));
    }

    @Override
    public List<Tensor> outputs() {
        return List.of(out);
    }

    @Override
    public BatchInput batchInput() {
        return BatchInput.IDS;
    }

    @Override
    public void run(Backend backend, OperatorContext context) {
        backend.embedding(this, context);
    }
}
