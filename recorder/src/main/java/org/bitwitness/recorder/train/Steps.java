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
import org.bitwitness.kernels.TensorRoots;
import org.bitwitness.kernels.UpdateRequest;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.LearningRate;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.MicroBatchRecord;
import org.bitwitness.protocol.record.UpdatePolicy;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;
import org.bitwitness.recorder.ModelIdentity;
import org.bitwitness.recorder.RecorderException;
import org.bitwitness.recorder.ReductionFacts;
import org.bitwitness.recorder.WorkerGradient;
import org.bitwitness.recorder.wire.MessageType;
import org.bitwitness.recorder.wire.Messages;

/** The steps of a run on the coordinator's side. */
final class Steps {
    private final Descriptor descriptor;
    private final Replica replica;
    private final WorkerGroup workers;
    private final BatchReader batches;
    private final RecordingLane lane;
    private final TrainingListener listener;
    private final Faults faults;
    private final CoordinatorExchange exchange;
    private final long recordedSteps;
    private long invalidSteps;
    private long tokens;
    private float lastLoss = Float.NaN;
    private StateRoot root;

    /** Who hears of steps, and what is planted in them. */
    record Setting(TrainingListener listener, Faults faults, CoordinatorExchange exchange) {}

    Steps(RunStart start, WorkerGroup workers, Dataset dataset, Setting setting) throws DatasetException {
        this.replica = start.replica();
        this.descriptor = replica.descriptor();
        this.workers = workers;
        this.batches = new BatchReader(dataset, descriptor.data());
        this.lane = new RecordingLane(start.recorder());
        this.listener = setting.listener();
        this.faults = setting.faults();
        this.recordedSteps = start.recordedSteps();
        this.exchange = setting.exchange();
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

    void runToEnd() throws RecorderException, DatasetException {
        try {
            while (replica.scalars().stateIndex().value()
                    < descriptor.schedule().steps()) {
                step(new StepIndex(replica.scalars().stateIndex().value()));
            }
            lane.drain();
        } catch (RecorderException | DatasetException | RuntimeException e) {
            lane.abandon();
            throw e;
        }
    }

    /** Writes the released model and makes the final commitment. */
    StateRoot finish(ModelIdentity identity) throws RecorderException {
        lane.finish(replica, identity);
        return root;
    }

    private void step(StepIndex step) throws RecorderException, DatasetException {
        List<List<MicroBatchRecord>> expected = new ArrayList<>();
        List<Long> targets = new ArrayList<>();
        for (int position = 0; position < descriptor.layout().size(); position++) {
            List<BatchReader.Read> read = batches.read(replica.scalars(), position);
            expected.add(faults.order(
                    step,
                    descriptor.layout().workers().get(position),
                    read.stream().map(BatchReader.Read::record).toList()));
            targets.add(read.stream().mapToLong(r -> r.batch().targetCount()).sum());
        }
        long all = targets.stream().mapToLong(Long::longValue).sum();
        List<Messages.Gradient> answers = gradients(step, targets, all);
        requireHonestInputs(step, expected, targets, answers);
        CoordinatorExchange.Reduced outcome = exchange.reduce(step, answers);
        ReduceResult reduced = outcome.result();
        faults.combined(step, reduced.combined());
        double learningRate =
                LearningRate.at(descriptor.schedule(), replica.scalars().schedulePosition());
        ReductionFacts facts = update(step, outcome, learningRate);
        lane.record(
                step,
                descriptor.layout().workers(),
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

    /** Asks every worker for its gradient and checks that what arrives is what it says it sent. */
    private List<Messages.Gradient> gradients(StepIndex step, List<Long> targets, long all) throws RecorderException {
        return workers.withEach((position, connection) -> {
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
            exchange.follow(position, connection, answer);
            return answer;
        });
    }

    /** Sends the combined gradient, updates the own replica meanwhile, and compares all state roots. */
    private ReductionFacts update(StepIndex step, CoordinatorExchange.Reduced outcome, double learningRate)
            throws RecorderException {
        ReduceResult reduced = outcome.result();
        double used = faults.learningRate(step, learningRate);
        Messages.Combined message = new Messages.Combined(step, reduced.valid(), reduced.clip(), used);
        Future<List<StateRoot>> updated = workers.withEachLater((_, connection) -> {
            connection.send(MessageType.COMBINED, message.toBytes());
            if (reduced.valid() && exchange.givesSums()) {
                connection.sendTensors(Worker.tensors(reduced.combined()));
            }
            return Messages.readStateRoot(connection.receive(MessageType.UPDATED));
        });
        UpdateRequest request =
                UpdateRequest.of(reduced, used, replica.descriptor().optimizer());
        ReductionFacts facts = new ReductionFacts(
                reduced.valid() && replica.update(reduced.combined(), request),
                reduced.targetCount(),
                learningRate,
                TensorRoots.combined(reduced.combined(), replica.executor()),
                outcome.exponents(),
                reduced.norm(),
                reduced.clip(),
                reduced.loss());
        faults.state(step, replica.state());
        replica.advance(facts.valid(), batches.passLength());
        root = replica.stateRoot();
        requireEqual(descriptor.layout().workers(), WorkerGroup.await(updated), root, "after step " + step);
        return facts;
    }

    static void requireEqual(List<WorkerId> layout, List<StateRoot> roots, StateRoot own, String when)
            throws RecorderException {
        for (int i = 0; i < roots.size(); i++) {
            if (!roots.get(i).equals(own)) {
                throw new RecorderException(
                        ("%s, worker %s has state root %s, the coordinator %s: one of the two machines or their Java is"
                                        + " faulty; nothing after the last commitment is kept")
                                .formatted(when, layout.get(i), roots.get(i), own));
            }
        }
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
                                descriptor.layout().workers().get(i),
                                step,
                                answers.get(i).microBatches()));
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
