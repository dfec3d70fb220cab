package org.bitwitness.kernels;

import java.util.List;
import org.bitwitness.kernels.StepEngine.Prepared;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.ModelTensors;
import org.bitwitness.kernels.program.StepProgram;

/**
 * A worker's gradient with one block's parameters and gradients in memory at a time: parameters come when an operator reads
 * them, gradients go when their last operator has written them. The operators, their order and what they read are those of
 * {@link StepEngine#gradient}, so the bits are.
 */
final class PagedGradient {
    private final Backend backend;
    private final ModelTensors tensors;
    private final Economy economy;
    private final GradientPool pool;

    PagedGradient(Backend backend, ModelTensors tensors, Economy economy, GradientPool pool) {
        this.backend = backend;
        this.tensors = tensors;
        this.economy = economy;
        this.pool = pool;
    }

    /**
     * All micro-batches.
     *
     * @param sum overwritten
     */
    GradientResult compute(GradientRequest request, List<Prepared> microBatches, Tracer tracer, Gradients sum) {
        ParameterPages pages = new ParameterPages(backend, tensors, request.state());
        double lossSum = 0.0;
        long targetCount = 0;
        try {
            for (int b = 0; b < microBatches.size(); b++) {
                StepProgram program = microBatches.get(b).program();
                OperatorContext context = request.context(b);
                for (int i = 0; i < program.operators().size(); i++) {
                    for (int again : program.runAgainBefore(i, economy)) {
                        execute(program, again, context, pages);
                    }
                    pool.begin(microBatches.get(b).lifetimes(), i);
                    execute(program, i, context, pages);
                    tracer.record(program.operators().get(i).outputs());
                    pool.end(microBatches.get(b).lifetimes(), i, sum, b == 0);
                }
                if (b > 0) {
                    tracer.emit(sum);
                }
                lossSum = backend.sum(program.losses(), lossSum);
                targetCount += request.microBatches().get(b).targetCount();
            }
        } finally {
            pages.end();
        }
        return new GradientResult(sum, lossSum, targetCount);
    }

    private void execute(StepProgram program, int position, OperatorContext context, ParameterPages pages) {
        pages.before(program.operators().get(position));
        program.operators().get(position).run(backend, context);
        if (tensors.profile().storesBf16()) {
            backend.roundToBf16(program.rowOutputs().get(position));
        }
    }
}
