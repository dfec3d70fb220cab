package org.bitwitness.recorder.train;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import org.bitwitness.datasets.Dataset;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.kernels.GradientRequest;
import org.bitwitness.kernels.ReduceResult;
import org.bitwitness.kernels.UpdateRequest;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.LearningRate;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.Layout;
import org.bitwitness.protocol.record.MicroBatchRecord;
import org.bitwitness.protocol.record.UpdatePolicy;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;
import org.bitwitness.recorder.LostWorkerException;
import org.bitwitness.recorder.ModelIdentity;
import org.bitwitness.recorder.RecorderException;
import org.bitwitness.recorder.ReductionFacts;
import org.bitwitness.recorder.WorkerGradient;
import org.bitwitness.recorder.wire.MessageType;
import org.bitwitness.recorder.wire.Messages;
import org.bitwitness.recorder.wire.StateMessages;

/** The steps of a run on the coordinator's side. */
final class Steps {
    private final Descriptor descriptor;
    private final Replica replica;
    private final BatchReader batches;
    private final RecordingLane lane;
    private final TrainingListener listener;
    private final Faults faults;
    private final long recordedSteps;
    private final Layouts layouts;
    private long invalidSteps;
    private long tokens;
    private float lastLoss = Float.NaN;
    private StateRoot root;
    private Optional<LostWorkerException> lost = Optional.empty();
    private Optional<Current> current = Optional.empty();

    /** The workers of now. */
    record Current(WorkerGroup group, Layout layout, CoordinatorExchange exchange) {}

    /** Who hears of steps, and what is planted in them. */
    record Setting(TrainingListener listener, Faults faults) {}

    Steps(RunStart start, Dataset dataset, Setting setting) throws DatasetException {
        this.replica = start.replica();
        this.descriptor = replica.descriptor();
        this.batches = new BatchReader(dataset, descriptor.data());
        this.lane = new RecordingLane(start.recorder());
        this.listener = setting.listener();
        this.faults = setting.faults();
        this.recordedSteps = start.recordedSteps();
        this.layouts = start.layouts();
        this.root = replica.stateRoot();
    }

    long invalidSteps() {
        return invalidSteps;
    }

    long tokens() {
        return tokens;
    }

    float lastLoss() {
        return lastLoss;
    }

    /** The step that is to be done next. */
    StepIndex next() {
        return new StepIndex(replica.scalars().stateIndex().value());
    }

    boolean finished() {
        return next().value() >= descriptor.schedule().steps();
    }

    /**
     * Does the steps that have these workers.
     *
     * @throws LostWorkerException if one is gone; {@link #next} is then the first step that is not done
     */
    void run(Current workers) throws RecorderException, DatasetException {
        current = Optional.of(workers);
        Layout layout = workers.layout();
        while (!finished() && layouts.of(next()).equals(layout)) {
            step(next());
            if (lost.isPresent()) {
                LostWorkerException gone = lost.get();
                lost = Optional.empty();
                throw gone;
            }
        }
    }

    /** Waits until every step is recorded. */
    void drain() throws RecorderException {
        lane.drain();
    }

    /** Ends the recording where it is. */
    void abandon() {
        lane.abandon();
    }

    /** Writes the released model and makes the final commitment. */
    StateRoot finish(ModelIdentity identity) throws RecorderException {
        lane.finish(replica, identity);
        return replica.computedRoot();
    }

    private void step(StepIndex step) throws RecorderException, DatasetException {
        List<List<MicroBatchRecord>> expected = new ArrayList<>();
        List<Long> targets = new ArrayList<>();
        for (int position = 0; position < layout().size(); position++) {
            List<BatchReader.Read> read = batches.read(replica.scalars(), position);
            expected.add(faults.order(
                    step,
                    layout().workers().get(position),
                    read.stream().map(BatchReader.Read::record).toList()));
            targets.add(read.stream().mapToLong(r -> r.batch().targetCount()).sum());
        }
        long all = targets.stream().mapToLong(Long::longValue).sum();
        List<Messages.Gradient> answers = gradients(step, targets, all);
        requireHonestInputs(step, expected, targets, answers);
        CoordinatorExchange.Reduced outcome = exchange().reduce(step, answers);
        ReduceResult reduced = outcome.result();
        faults.combined(step, reduced.combined());
        double learningRate =
                LearningRate.at(descriptor.schedule(), replica.scalars().schedulePosition());
        ReductionFacts facts = update(step, outcome, learningRate);
        lane.record(
                step,
                layout(),
                answers.stream().map(Steps::contribution).toList(),
                new Reduced(facts, kept(facts, reduced.combined())),
                root);
        lane.checkpointWhereWanted(replica);
        invalidSteps += facts.valid() ? 0 : 1;
        tokens += all;
        lastLoss = reduced.loss();
        listener.reduced(step, facts);
        listener.step(step, reduced.loss(), all, step.value() < recordedSteps);
    }

    private WorkerGroup workers() {
        return current.orElseThrow().group();
    }

    private CoordinatorExchange exchange() {
        return current.orElseThrow().exchange();
    }

    private Layout layout() {
        return current.orElseThrow().layout();
    }

    /** Asks every worker for its gradient and checks that what arrives is what it says it sent. */
    private List<Messages.Gradient> gradients(StepIndex step, List<Long> targets, long all) throws RecorderException {
        return workers().withEach((position, connection) -> {
            long count = switch (descriptor.aggregation().averaging()) {
                case TOKENS -> all;
                case WORKERS -> targets.get(position);
            };
            Messages.Step message = new Messages.Step(step, position, GradientRequest.invCount(count));
            connection.send(MessageType.STEP, message.toBytes());
            Messages.Gradient answer = Messages.Gradient.read(connection.receive(MessageType.GRADIENT));
            if (!answer.step().equals(step)) {
                throw new IOException("it was asked for step %s and answers step %s".formatted(step, answer.step()));
            }
            exchange().follow(position, connection, answer);
            return answer;
        });
    }

    /** Sends the combined gradient, updates the own replica meanwhile, and compares all state roots. */
    private ReductionFacts update(StepIndex step, CoordinatorExchange.Reduced outcome, double learningRate)
            throws RecorderException {
        ReduceResult reduced = outcome.result();
        double used = faults.learningRate(step, learningRate);
        Messages.Combined message = new Messages.Combined(step, reduced.valid(), reduced.clip(), used);
        UpdateRound round = UpdateRound.begin(workers(), exchange(), reduced, message);
        UpdateRequest request =
                UpdateRequest.of(reduced, used, replica.descriptor().optimizer());
        boolean valid = reduced.valid() && replica.update(reduced.combined(), request);
        Optional<Future<List<StateMessages.Held>>> updated = Optional.empty();
        try {
            updated = Optional.of(round.decided(valid, layout()));
        } catch (LostWorkerException e) {
            lost = Optional.of(e);
        }
        ReductionFacts facts = new ReductionFacts(
                valid,
                reduced.targetCount(),
                learningRate,
                replica.combinedRoot(reduced.combined()),
                outcome.exponents(),
                reduced.norm(),
                reduced.clip(),
                reduced.loss());
        faults.state(step, replica.state());
        replica.advance(facts.valid(), batches.passLength());
        HeldStates own = HeldStates.of(replica, exchange().sharesState());
        root = own.root();
        try {
            if (updated.isPresent()) {
                own.requireEqual(WorkerGroup.await(updated.get()), "after step " + step);
            }
        } catch (LostWorkerException e) {
            // The step is done: every gradient was there. Who is gone is missing from the next one.
            lost = Optional.of(e);
        }
        return facts;
    }

    /** What a worker says it read must be what the data order gives it. */
    private void requireHonestInputs(
            StepIndex step, List<List<MicroBatchRecord>> expected, List<Long> targets, List<Messages.Gradient> answers)
            throws RecorderException {
        for (int i = 0; i < answers.size(); i++) {
            if (!answers.get(i).microBatches().equals(expected.get(i))
                    || answers.get(i).targetCount() != targets.get(i)) {
                throw new RecorderException("worker %s read other batches in step %s than the data order gives it: %s"
                        .formatted(
                                layout().workers().get(i), step, answers.get(i).microBatches()));
            }
        }
    }

    private static WorkerPart contribution(Messages.Gradient answer) {
        return new WorkerPart(
                answer.microBatches(),
                new WorkerGradient(
                        answer.gradientRoot(),
                        answer.lossSum(),
                        answer.targetCount(),
                        answer.traceRoot(),
                        answer.traceOutputs(),
                        answer.detectors()));
    }

    /** A copy of the combined gradient where the run keeps it: the next step overwrites the engine's. */
    private Optional<List<F32Tensor>> kept(ReductionFacts facts, Gradients combined) {
        if (descriptor.storage().updates() != UpdatePolicy.GRADIENTS || !facts.valid()) {
            return Optional.empty();
        }
        List<F32Tensor> tensors = new ArrayList<>();
        for (Parameter p : combined.manifest().parameters()) {
            tensors.add(
                    F32Tensor.of(p.name(), p.shape(), combined.tensor(p.index()).clone()));
        }
        return Optional.of(tensors);
    }

    /** What the reduction of a step gave, for the recorder. */
    record Reduced(ReductionFacts facts, Optional<List<F32Tensor>> kept) {}

    /** One worker's part of a step, for the recorder. */
    record WorkerPart(List<MicroBatchRecord> microBatches, WorkerGradient gradient) {}
}
