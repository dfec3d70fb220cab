package org.bitwitness.kernels.trace;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.kernels.op.BatchInput;
import org.bitwitness.kernels.op.Operator;
import org.bitwitness.kernels.program.BatchShape;
import org.bitwitness.kernels.program.ModelConfig;
import org.bitwitness.kernels.program.ModelTensors;
import org.bitwitness.kernels.program.NumericProfile;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.kernels.program.StepProgram;
import org.bitwitness.kernels.trace.TensorSource.EntryOutput;
import org.bitwitness.protocol.Phase;

/**
 * All entries of one worker's step, without data: the operators of every micro-batch, {@code accumulate} after each
 * micro-batch but the first, and {@code emit}, whose outputs are the worker's gradients in manifest order.
 */
public final class TracePlan {
    /** Kind and name of the entry that adds a micro-batch's gradients to the worker's. */
    public static final String ACCUMULATE = "accumulate";

    /** Kind and name of the last entry. */
    public static final String EMIT = "emit";

    private final List<PlannedEntry> entries = new ArrayList<>();
    private final ModelTensors tensors;
    private List<TensorSource> sums = List.of();

    private TracePlan(ModelTensors tensors) {
        this.tensors = tensors;
    }

    /** From programs over the same model tensors, one per micro-batch, ascending. */
    public static TracePlan of(ModelTensors tensors, List<StepProgram> microBatches) {
        TracePlan plan = new TracePlan(tensors);
        for (int b = 0; b < microBatches.size(); b++) {
            plan.addMicroBatch(b, microBatches.get(b));
        }
        plan.addEntry(EMIT, EMIT, Phase.EMIT, microBatches.size() - 1, plan.sums, plan.gradientOutputs());
        return plan;
    }

    /** From the model and the batch shapes alone: the profile changes what is stored, not the entries. */
    public static TracePlan ofShapes(ModelConfig model, List<BatchShape> microBatches) {
        ModelTensors tensors = ModelTensors.of(model, ParameterManifest.of(model), NumericProfile.F32_C512);
        return of(
                tensors,
                microBatches.stream()
                        .map(shape -> StepProgram.of(tensors, shape))
                        .toList());
    }

    /** In execution order. */
    public List<PlannedEntry> entries() {
        return List.copyOf(entries);
    }

    private void addMicroBatch(int microBatch, StepProgram program) {
        Map<Tensor, TensorSource> lastWriter = new HashMap<>();
        for (Operator operator : program.operators()) {
            List<TensorSource> inputs = new ArrayList<>();
            operator.inputs().forEach(tensor -> inputs.add(source(operator, tensor, lastWriter)));
            switch (operator.batchInput()) {
                case NONE -> {}
                case IDS, TARGETS -> inputs.add(new TensorSource.Batch(batchPart(operator.batchInput())));
            }
            List<PlannedEntry.Output> outputs = operator.outputs().stream()
                    .map(tensor -> new PlannedEntry.Output(tensor.name(), tensor.shape()))
                    .toList();
            for (int o = 0; o < outputs.size(); o++) {
                lastWriter.put(operator.outputs().get(o), new EntryOutput(entries.size(), o));
            }
            addEntry(operator.kind(), operator.name(), operator.phase(), microBatch, inputs, outputs);
        }
        List<TensorSource> gradients = new ArrayList<>();
        tensors.gradients().forEach(tensor -> gradients.add(written(tensor, lastWriter)));
        if (microBatch == 0) {
            sums = gradients;
            return;
        }
        List<TensorSource> inputs = new ArrayList<>(sums);
        inputs.addAll(gradients);
        int entry = entries.size();
        addEntry(ACCUMULATE, ACCUMULATE, Phase.ACCUMULATE, microBatch, inputs, gradientOutputs());
        sums = IntStream.range(0, tensors.gradients().size())
                .<TensorSource>mapToObj(output -> new EntryOutput(entry, output))
                .toList();
    }

    private TensorSource source(Operator operator, Tensor tensor, Map<Tensor, TensorSource> lastWriter) {
        TensorSource written = lastWriter.get(tensor);
        if (written != null) {
            return written;
        }
        if (tensors.isParameter(tensor)) {
            return new TensorSource.StateTensor(tensor.name());
        }
        if (tensors.isConstant(tensor)) {
            return new TensorSource.Constant(tensor.name());
        }
        throw new IllegalStateException(
                "%s %s reads %s, which nothing has written".formatted(operator.kind(), operator.name(), tensor));
    }

    private static TensorSource written(Tensor gradient, Map<Tensor, TensorSource> lastWriter) {
        TensorSource source = lastWriter.get(gradient);
        if (source == null) {
            throw new IllegalStateException("the program does not write the gradient of " + gradient);
        }
        return source;
    }

    private List<PlannedEntry.Output> gradientOutputs() {
        return tensors.gradients().stream()
                .map(tensor -> new PlannedEntry.Output(tensor.name(), tensor.shape()))
                .toList();
    }

    private void addEntry(
            String op,
            String name,
            Phase phase,
            int microBatch,
            List<TensorSource> inputs,
            List<PlannedEntry.Output> outputs) {
        entries.add(new PlannedEntry(entries.size(), op, name, phase, microBatch, inputs, outputs));
    }

    private static String batchPart(BatchInput input) {
        return input == BatchInput.IDS ? "ids" : "targets";
    }
}
