package org.bitwitness.recorder.train;

import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.bitwitness.datasets.Dataset;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.GradientRequest;
import org.bitwitness.kernels.GradientResult;
import org.bitwitness.kernels.GradientSketch;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.trace.TraceHasher;
import org.bitwitness.kernels.trace.TraceSink;
import org.bitwitness.kernels.trace.WorkerTrace;
import org.bitwitness.protocol.GradientRoot;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.format.DescriptorJson;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.DetectorInputs;
import org.bitwitness.protocol.record.DetectorPolicy;
import org.bitwitness.protocol.record.Scalars;
import org.bitwitness.protocol.record.TracePolicy;
import org.bitwitness.recorder.RecorderException;
import org.bitwitness.recorder.wire.Connection;
import org.bitwitness.recorder.wire.MeshMessages;
import org.bitwitness.recorder.wire.MessageType;
import org.bitwitness.recorder.wire.Messages;
import org.bitwitness.recorder.wire.PeerLostException;
import org.bitwitness.recorder.wire.StateMessages;

/**
 * One worker: holds a replica of the state, computes the gradient of its batches, and updates its replica with the combined
 * gradient; all of it, or a share, the rest of which the others give it. It reads its batches itself; what it reports is what it
 * read.
 */
public final class Worker {
    static final Duration WAIT_FOR_COORDINATOR = Duration.ofHours(6);

    private static final Duration HANG_UP = Duration.ofSeconds(10);

    private final WorkerState state;
    private final Replica replica;
    private final BatchReader batches;
    private final Connection connection;
    private final Faults faults;
    private final WorkerExchange exchange;

    private Worker(
            WorkerState state, BatchReader batches, Connection connection, Faults faults, WorkerExchange exchange) {
        this.state = state;
        this.replica = state.replica();
        this.batches = batches;
        this.connection = connection;
        this.faults = faults;
        this.exchange = exchange;
    }

    /** Opens the connection to the coordinator. */
    @FunctionalInterface
    public interface Connector {
        Socket connect() throws IOException;
    }

    /**
     * Runs a worker until the coordinator says stop or goes away.
     *
     * @return the process's exit code: 0 after a stop, 1 otherwise
     */
    public static int run(Connector connector, WorkerId worker, Sha256 token) {
        return run(connector, worker, token, Home.OF_JOB);
    }

    static int run(Connector connector, WorkerId worker, Sha256 token, Home home) {
        try (Connection connection = new Connection(connector.connect(), WAIT_FOR_COORDINATOR)) {
            OptionalLong pid = OptionalLong.of(ProcessHandle.current().pid());
            connection.send(MessageType.HELLO, new Messages.Hello(token, worker, pid).toBytes());
            connection.trust();
            serve(connection, home);
            return 0;
        } catch (RecorderException e) {
            // The coordinator knows, and says so.
            return 1;
        } catch (EOFException | SocketException e) {
            // The coordinator is gone; it, or its absence, says why.
            return 1;
        } catch (IOException e) {
            System.err.println("worker " + worker + ": " + e.getMessage());
            return 1;
        }
    }

    /**
     * Runs a worker process: connects to a port of the loopback interface with the token that the coordinator has written
     * as one line.
     *
     * @param standardInput of the process
     */
    public static int run(int port, WorkerId worker, InputStream standardInput) throws IOException {
        BufferedReader reader = new BufferedReader(new InputStreamReader(standardInput, StandardCharsets.US_ASCII));
        String line = Optional.ofNullable(reader.readLine()).orElse("");
        if (!Sha256.isHex(line)) {
            throw new IOException(
                    "a worker is started by its coordinator, which writes the token to its standard input");
        }
        return run(() -> new Socket(InetAddress.getLoopbackAddress(), port), worker, Sha256.ofHex(line));
    }

    /**
     * What a worker on a host of its own does not take from the job.
     *
     * @param dataset empty where the job says it
     */
    record Home(Optional<Path> dataset, int threads, RecordingMode recording) {
        static final Home OF_JOB = new Home(Optional.empty(), 0, RecordingMode.STEPS);

        Home(Path dataset, int threads) {
            this(Optional.of(dataset), threads, RecordingMode.STEPS);
        }

        private Path dataset(Messages.Job job) {
            return dataset.orElseGet(() -> Path.of(job.dataset()));
        }

        private int threads(Messages.Job job) {
            return dataset.isPresent() ? threads : job.threads();
        }

        private Optional<Sha256> probe(BackendId backend) {
            return dataset.map(_ -> ArithmeticProbe.digest(backend));
        }
    }

    /**
     * Works until the coordinator says stop.
     *
     * @throws RecorderException if it cannot go on, after it has told the coordinator why
     * @throws IOException if the coordinator is gone
     */
    static void serve(Connection connection, Home home) throws IOException, RecorderException {
        try {
            Messages.Job job = Messages.Job.read(connection.receive(MessageType.JOB));
            Descriptor descriptor = DescriptorJson.read(job.descriptor().getBytes(StandardCharsets.UTF_8));
            BackendId backend = BackendId.parse(job.backend());
            try (Dataset dataset = Dataset.open(home.dataset(job));
                    WorkerState state = WorkerState.of(job, descriptor, backend, home.threads(job))) {
                requireRoot(dataset, descriptor);
                state.replica().record(home.recording());
                connection.receiveTensors(state.tensors());
                connection.send(
                        MessageType.READY,
                        new StateMessages.Ready(state.held(), state.momentBytes(), home.probe(backend)).toBytes());
                state.replica().work(job.layout());
                work(connection, state, new BatchReader(dataset, descriptor.data()), job);
            }
        } catch (ProtocolException | DatasetException | RuntimeException e) {
            String reason = String.valueOf(e.getMessage());
            connection.send(MessageType.FAILED, Messages.writeFailed(reason));
            // Hung up on in the middle of a tensor, the coordinator would not read why.
            connection.drain(HANG_UP);
            throw new RecorderException("this worker cannot go on: " + reason, e);
        }
    }

    private static void work(Connection connection, WorkerState state, BatchReader batches, Messages.Job job)
            throws IOException, ProtocolException, DatasetException, RecorderException {
        try (WorkerExchange exchange = WorkerExchange.join(job, connection, state)) {
            work(new Worker(state, batches, connection, new Faults(job.faults()), exchange), connection);
        } catch (PeerLostException e) {
            throw blame(e, connection);
        }
    }

    /** The others must not see this worker go before the coordinator knows who was first: its exchange stays open until then. */
    private static void work(Worker worker, Connection connection)
            throws IOException, ProtocolException, DatasetException, RecorderException {
        try {
            worker.steps();
        } catch (PeerLostException e) {
            throw blame(e, connection);
        }
    }

    private static RecorderException blame(PeerLostException lost, Connection connection) throws IOException {
        connection.send(MessageType.PEER_LOST, MeshMessages.writeLost(lost.position(), words(lost)));
        connection.drain(HANG_UP);
        return new RecorderException("worker at place %d %s".formatted(lost.position(), words(lost)), lost);
    }

    private static String words(PeerLostException lost) {
        return String.valueOf(lost.getMessage());
    }

    private static void requireRoot(Dataset dataset, Descriptor descriptor) {
        if (!dataset.root().equals(descriptor.data().datasetRoot())) {
            throw new IllegalArgumentException("the dataset %s should have root %s, has %s: copy the run's dataset here"
                    .formatted(dataset.folder(), descriptor.data().datasetRoot(), dataset.root()));
        }
    }

    private void steps() throws IOException, ProtocolException, DatasetException {
        Optional<byte[]> next = connection.receiveUnless(MessageType.STEP, MessageType.STOP);
        while (next.isPresent()) {
            step(Messages.Step.read(next.get()));
            next = connection.receiveUnless(MessageType.STEP, MessageType.STOP);
        }
    }

    private void step(Messages.Step step) throws IOException, ProtocolException, DatasetException {
        Descriptor descriptor = replica.descriptor();
        Scalars scalars = replica.scalars();
        if (scalars.stateIndex().value() != step.step().value()) {
            throw new IllegalStateException("this worker's state is before step %s, the coordinator asks for step %s"
                    .formatted(scalars.stateIndex(), step.step()));
        }
        WorkerId self = replica.layout().workers().get(step.position());
        List<BatchReader.Read> read = faults.order(step.step(), self, batches.read(scalars, step.position()));
        GradientRequest request = new GradientRequest(
                replica.state(),
                descriptor.seed(),
                scalars.rngCounter(),
                step.position(),
                read.stream().map(BatchReader.Read::batch).toList(),
                step.invCount());
        boolean traced = descriptor.trace() != TracePolicy.NONE && replica.isRecorded();
        TraceHasher hasher = new TraceHasher(replica.executor());
        GradientResult result = replica.engine()
                .gradient(
                        request,
                        traced ? hasher : TraceSink.NONE,
                        faults.gradient(step.step()),
                        exchange.begin(step.step()));
        connection.send(
                MessageType.GRADIENT,
                message(step, read, result, traced ? Optional.of(hasher.finish()) : Optional.empty())
                        .toBytes());
        exchange.send(step.step(), result.gradients());
        Messages.Combined combined = Messages.Combined.read(connection.receive(MessageType.COMBINED));
        boolean valid = exchange.update(combined, result.gradients());
        state.plant(combined.step(), faults);
        replica.advance(valid, batches.passLength());
        replica.engine().recycle(result.gradients());
        connection.send(MessageType.UPDATED, state.held().toBytes());
    }

    private Messages.Gradient message(
            Messages.Step step, List<BatchReader.Read> read, GradientResult result, Optional<WorkerTrace> trace) {
        GradientRoot root = trace.map(WorkerTrace::gradientRoot).orElseGet(() -> replica.root(result.gradients()));
        boolean keepOutputs = replica.descriptor().trace() == TracePolicy.OPERATORS;
        return new Messages.Gradient(
                step.step(),
                read.stream().map(BatchReader.Read::record).toList(),
                root,
                result.lossSum(),
                result.targetCount(),
                trace.map(WorkerTrace::traceRoot),
                trace.filter(t -> keepOutputs)
                        .map(t -> t.entries().stream()
                                .map(entry -> entry.outputRoots())
                                .toList())
                        .orElse(List.of()),
                detectors(step, result.gradients()));
    }

    private Optional<DetectorInputs> detectors(Messages.Step step, Gradients gradients) {
        Descriptor descriptor = replica.descriptor();
        if (descriptor.detectors() == DetectorPolicy.NONE || !replica.isRecorded()) {
            return Optional.empty();
        }
        WorkerId self = replica.layout().workers().get(step.position());
        GradientSketch sketch = GradientSketch.of(gradients, descriptor.seed());
        return Optional.of(new DetectorInputs(self, sketch.norm(), sketch.sketch()));
    }

    /** The parameters of a state, without its moments. */
    static List<float[]> tensors(HostState state) {
        List<float[]> out = new ArrayList<>();
        for (int i = 0; i < state.manifest().count(); i++) {
            out.add(state.parameter(i));
        }
        return out;
    }

    static List<float[]> tensors(Gradients gradients) {
        List<float[]> out = new ArrayList<>();
        for (int i = 0; i < gradients.manifest().count(); i++) {
            out.add(gradients.tensor(i));
        }
        return out;
    }
}
