package org.bitwitness.replayer.dispute;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.Backends;
import org.bitwitness.kernels.GradientRequest;
import org.bitwitness.kernels.MicroBatch;
import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.kernels.op.Operator;
import org.bitwitness.kernels.program.BatchShape;
import org.bitwitness.kernels.program.ModelTensors;
import org.bitwitness.kernels.program.RunSetup;
import org.bitwitness.kernels.program.StepProgram;
import org.bitwitness.kernels.trace.PlannedEntry;
import org.bitwitness.kernels.trace.TensorSource;
import org.bitwitness.protocol.Phase;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.tensor.TensorDigests;

/** Executes one operator on its inputs and nothing else of the step. */
final class OperatorRun {
    private final OperatorCase operator;
    private final Map<TensorSource, float[]> data = new HashMap<>();
    private Optional<MicroBatch> rows = Optional.empty();

    private OperatorRun(OperatorCase operator) {
        this.operator = operator;
    }

    /**
     * Takes the inputs from the shelf.
     *
     * @return the run, or nothing where the shelf lacks one of them
     */
    static Optional<OperatorRun> prepare(OperatorCase operator, DataShelf shelf) throws DisputeException {
        OperatorRun run = new OperatorRun(operator);
        if (operator.isHandOver()) {
            return Optional.of(run);
        }
        Map<TensorSource, Integer> sizes = operator.sizes();
        for (Map.Entry<TensorSource, Sha256> input : operator.inputs().entrySet()) {
            Optional<float[]> found = shelf.tensor(input.getValue(), known(sizes, input.getKey()));
            if (found.isEmpty()) {
                return Optional.empty();
            }
            run.data.put(input.getKey(), found.get());
        }
        if (operator.rowsRoot().isPresent()) {
            run.rows = shelf.rows(operator.rowsRoot().get(), operator.batchShape());
            if (run.rows.isEmpty()) {
                return Optional.empty();
            }
        }
        return Optional.of(run);
    }

    /**
     * Root of the disputed output.
     *
     * @throws RuntimeException where the operator refuses its inputs, such as a token outside the vocabulary
     */
    Sha256 root(BackendId id) {
        List<TensorSource> sources = OperatorCase.sources(operator.entry(), operator.output());
        if (operator.isHandOver()) {
            return known(operator.inputs(), sources.getFirst());
        }
        try (Backend backend = Backends.create(id, 1)) {
            return operator.entry().phase() == Phase.ACCUMULATE ? added(backend, sources) : executed(backend);
        }
    }

    private Sha256 added(Backend backend, List<TensorSource> sources) {
        PlannedEntry.Output output = operator.entry().outputs().get(operator.output());
        Tensor sum = Tensor.declare(output.name(), output.shape());
        Tensor addend = Tensor.declare(output.name(), output.shape());
        backend.bind(sum, copy(sources.getFirst()));
        backend.bind(addend, copy(sources.getLast()));
        backend.add(List.of(sum), List.of(addend));
        return root(backend, sum);
    }

    private Sha256 executed(Backend backend) {
        ModelTensors tensors = RunSetup.tensors(operator.unit().premise().descriptor());
        StepProgram program = StepProgram.of(tensors, operator.batchShape());
        int index = indexInProgram();
        Operator op = program.operators().get(index);
        boolean narrow = tensors.profile().storesBf16();
        tensors.bindConstants(backend);
        for (int i = 0; i < op.inputs().size(); i++) {
            Tensor tensor = op.inputs().get(i);
            TensorSource source = operator.entry().inputs().get(i);
            if (!(source instanceof TensorSource.Constant)) {
                backend.bind(tensor, copy(source));
            }
            if (narrow && source instanceof TensorSource.StateTensor) {
                backend.roundToBf16(List.of(tensor));
            }
        }
        op.outputs().stream().filter(out -> !op.inputs().contains(out)).forEach(backend::allocate);
        op.run(backend, context());
        if (narrow) {
            backend.roundToBf16(program.rowOutputs().get(index));
        }
        return root(backend, op.outputs().get(operator.output()));
    }

    /** A micro-batch's entries begin with its operators, in their order. */
    private int indexInProgram() {
        int first = 0;
        while (operator.unit().entries().get(first).microBatch()
                != operator.entry().microBatch()) {
            first++;
        }
        return operator.entry().index() - first;
    }

    private OperatorContext context() {
        DisputedUnit unit = operator.unit();
        BatchShape shape = operator.batchShape();
        return new OperatorContext(
                rows.orElseGet(() -> new MicroBatch(
                        shape.sequences(), shape.length(), new int[shape.tokens()], new int[shape.tokens()])),
                unit.premise().descriptor().seed(),
                operator.scalars().rngCounter(),
                unit.position(),
                operator.entry().microBatch(),
                GradientRequest.invCount(unit.targetCount()));
    }

    /** A copy, so that one backend's work in place does not reach another's. */
    private float[] copy(TensorSource source) {
        return known(data, source).clone();
    }

    /** Of something that was put in for every input. */
    private static <V> V known(Map<TensorSource, V> values, TensorSource source) {
        return Objects.requireNonNull(values.get(source));
    }

    private static Sha256 root(Backend backend, Tensor tensor) {
        float[] values = backend.fetch(tensor);
        return TensorDigests.tensorRoot(values, 0, values.length);
    }
}
