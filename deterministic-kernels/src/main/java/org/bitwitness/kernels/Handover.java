package org.bitwitness.kernels;

import java.util.BitSet;
import java.util.List;
import org.bitwitness.kernels.program.Gradients;

/** Hands a worker's gradient to a listener, each parameter once, during its last micro-batch where that is possible. */
final class Handover {
    private final GradientListener listener;
    private final BeforeEmit beforeEmit;
    private final boolean early;
    private final BitSet handed = new BitSet();

    /** @param beforeEmit whoever changes gradients at the end must not see them gone before */
    Handover(GradientListener listener, BeforeEmit beforeEmit) {
        this.listener = listener;
        this.beforeEmit = beforeEmit;
        this.early = !listener.equals(GradientListener.NONE) && beforeEmit.equals(BeforeEmit.NOTHING);
    }

    /** Whether anything is to be handed over before the end. */
    boolean early() {
        return early;
    }

    /** After an operator of the last micro-batch: those whose last operator it was. */
    void ended(List<Integer> parameters, List<Tensor> sums, Backend backend) {
        if (early) {
            for (int p : parameters) {
                handed.set(p);
                listener.ready(p, backend.fetch(sums.get(p)));
            }
        }
    }

    /** At the end: hands over all that are left, and emits the gradient. */
    GradientResult emitted(GradientResult result, Tracer tracer) {
        Gradients sum = result.gradients();
        beforeEmit.apply(sum);
        for (int p = 0; p < sum.manifest().count() && !listener.equals(GradientListener.NONE); p++) {
            if (!handed.get(p)) {
                listener.ready(p, sum.tensor(p));
            }
        }
        tracer.emit(sum);
        return result;
    }
}
