package org.bitwitness.recorder.train;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.bitwitness.datasets.Dataset;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.datasets.SampleOrder;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.format.DescriptorJson;
import org.bitwitness.protocol.format.RecordingPaths;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.Layout;
import org.bitwitness.recorder.LostWorkerException;
import org.bitwitness.recorder.RecorderException;
import org.bitwitness.recorder.exchange.ShardPlan;
import org.bitwitness.recorder.wire.MessageType;
import org.bitwitness.recorder.wire.Messages;
import org.bitwitness.recorder.wire.PeerFailedException;
import org.bitwitness.recorder.wire.StateMessages;

/**
 * Trains a run from where its recording stands to its last step. The coordinator keeps a replica of its own: it starts
 * workers, hands them the state, combines their gradients in the recorded order, sends the combined gradient back, and
 * after every step compares all state roots with its own.
 */
public final class Trainer {
    private final TrainingRun run;
    private final TrainingMeans means;
    private final TrainingListener listener;

    public Trainer(TrainingRun run, TrainingMeans means, TrainingListener listener) {
        this.run = run;
        this.means = means;
        this.listener = listener;
    }

    /**
     * Trains to the end.
     *
     * @throws RecorderException naming what stopped it; the recording then ends at its last commitment and can be resumed
     */
    public TrainingResult train() throws RecorderException {
        long startedNanos = System.nanoTime();
        Faults.require(run.descriptor(), run.faults());
        Optional<String> refusal = means.exchange().refusal(run.descriptor(), run.faults());
        if (refusal.isPresent()) {
            throw new RecorderException(refusal.get());
        }
        try (Dataset dataset = Dataset.open(datasetFolder())) {
            requireDataset(dataset);
            try (RunStart.Locked recording = RunStart.open(run);
                    RunStart start = RunStart.prepare(run, recording.store(), means, dataset, listener)) {
                Steps steps = new Steps(start, dataset, new Steps.Setting(listener, new Faults(run.faults())));
                runToEnd(steps, start);
                StateRoot last = steps.finish(means.identity());
                return new TrainingResult(
                        start.recorder().runId(),
                        last,
                        run.descriptor().schedule().steps(),
                        steps.invalidSteps(),
                        steps.tokens(),
                        steps.lastLoss(),
                        Duration.ofNanos(System.nanoTime() - startedNanos));
            }
        } catch (DatasetException e) {
            throw RecorderException.of(e);
        }
    }

    private void runToEnd(Steps steps, RunStart start) throws RecorderException, DatasetException {
        try {
            while (!steps.finished()) {
                try {
                    runOneLayout(steps, start);
                } catch (LostWorkerException e) {
                    start.layouts().drop(steps.next(), e);
                    listener.workerDropped(steps.next(), e);
                }
            }
            steps.drain();
        } catch (RecorderException | DatasetException | RuntimeException e) {
            steps.abandon();
            throw e;
        }
    }

    /** New workers for every layout: whoever joins or stays starts from the coordinator's state alike. */
    private void runOneLayout(Steps steps, RunStart start) throws RecorderException, DatasetException {
        Layout layout = start.layouts().of(steps.next());
        try (WorkerGroup workers = WorkerGroup.start(means.launcher(), layout, means.answerLimit())) {
            listener.workersStarted(workers.pids());
            start.replica().work(layout);
            hand(workers, layout, start);
            steps.run(new Steps.Current(workers, layout, exchange(start.replica(), workers)));
            workers.stop();
        }
    }

    /** A resumed run reads what was recorded, wherever the original dataset is now. */
    private Path datasetFolder() {
        Path recorded = run.recording().resolve(RecordingPaths.DATASET);
        boolean whole = Files.isRegularFile(
                run.recording().resolve(RecordingPaths.commitment(0).text()));
        return run.resume() && whole ? recorded : run.dataset();
    }

    private void requireDataset(Dataset dataset) throws RecorderException {
        Descriptor descriptor = run.descriptor();
        if (!dataset.root().equals(descriptor.data().datasetRoot())) {
            throw new RecorderException("the dataset %s should have root %s, has %s"
                    .formatted(run.dataset(), descriptor.data().datasetRoot(), dataset.root()));
        }
        try {
            SampleOrder.of(descriptor.data(), dataset.manifest());
        } catch (DatasetException e) {
            throw new RecorderException("%s: %s".formatted(run.dataset(), e.getMessage()), e);
        }
    }

    /** Gives every worker the job and the state, and compares the root that each computes. */
    private void hand(WorkerGroup workers, Layout layout, RunStart start) throws RecorderException {
        Replica replica = start.replica();
        String descriptor = new String(DescriptorJson.write(run.descriptor()), StandardCharsets.UTF_8);
        HeldStates own = HeldStates.of(replica, sharded());
        ShardPlan plan = ShardPlan.of(replica.engine().manifest(), layout.size());
        List<StateMessages.Ready> ready = workers.withEach((position, connection) -> {
            connection.send(
                    MessageType.JOB,
                    new Messages.Job(
                                    descriptor,
                                    layout,
                                    start.datasetFolder().toAbsolutePath().toString(),
                                    means.backend().text(),
                                    means.threads(),
                                    replica.scalars(),
                                    new Faults(run.faults())
                                            .toldTo(layout.workers().get(position)),
                                    direct(),
                                    sharded() ? OptionalInt.of(position) : OptionalInt.empty())
                            .toBytes());
            if (sharded()) {
                connection.sendTensors(Worker.tensors(replica.state()));
                OptimizerShare.send(replica.state(), run.descriptor().optimizer(), plan.ofOwner(position), connection);
            } else {
                connection.sendTensors(replica.tensors());
            }
            StateMessages.Ready there = StateMessages.Ready.read(connection.receive(MessageType.READY));
            if (there.probe().isPresent()) {
                requireSameArithmetic(there.probe().get());
            }
            return there;
        });
        own.requireEqual(
                ready.stream().map(StateMessages.Ready::held).toList(),
                "state " + replica.scalars().stateIndex());
        listener.momentsHeld(
                ready.stream().map(StateMessages.Ready::momentBytes).toList(),
                replica.state().momentBytes());
    }

    private boolean direct() {
        return means.exchange().goesDirectly(run.descriptor(), run.faults());
    }

    private boolean sharded() {
        return means.exchange().sharded();
    }

    private CoordinatorExchange exchange(Replica replica, WorkerGroup workers) throws RecorderException {
        return direct()
                ? MeshExchange.connect(replica, workers, means.exchange(), means.answerLimit())
                : new StarExchange(replica);
    }

    private void requireSameArithmetic(Sha256 there) throws PeerFailedException {
        Sha256 here = ArithmeticProbe.digest(means.backend());
        if (!there.equals(here)) {
            throw new PeerFailedException(
                    "two small steps give %s there and %s here: one of the two machines or their Java is faulty"
                            .formatted(there, here));
        }
    }
}
