package org.bitwitness.cli.train;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.keys.KeyFolder;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.log.HttpLogClient;
import org.bitwitness.attestation.log.LogSources;
import org.bitwitness.attestation.note.SignedNote;
import org.bitwitness.attestation.oms.ModelSignature;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.cli.support.GpuOptions;
import org.bitwitness.cli.support.Passphrases;
import org.bitwitness.cli.support.ProgressBar;
import org.bitwitness.cli.support.Relaunch;
import org.bitwitness.cli.support.RuntimeNeed;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.kernels.BackendAbsentException;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.protocol.format.RecordingPaths;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.PlantedFault;
import org.bitwitness.recorder.ModelIdentity;
import org.bitwitness.recorder.RecorderException;
import org.bitwitness.recorder.train.ChildWorkers;
import org.bitwitness.recorder.train.InProcessWorkers;
import org.bitwitness.recorder.train.TrainConfig;
import org.bitwitness.recorder.train.Trainer;
import org.bitwitness.recorder.train.TrainingMeans;
import org.bitwitness.recorder.train.TrainingResult;
import org.bitwitness.recorder.train.TrainingRun;
import org.bitwitness.recorder.train.WorkerLauncher;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bitwitness train}: trains with worker processes and records, signs and logs the run. */
@Command(
        name = "train",
        description = "Train a model with several workers and record the run.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  bitwitness train --config run.json --out run",
            "  bitwitness train --config run.json --out run --log http://127.0.0.1:8090 --key keys/trainer --trust"
                    + " trust",
            "  bitwitness train --config run.json --out run --resume",
            "  bitwitness train --config run.json --out run --hosts a:2,b:2 --listen 10.0.0.1:4600"
        })
public class TrainCommand extends BaseCommand {
    /** Growing on demand, and without the threads that a larger collector starts in every one of several workers. */
    private static final List<String> WORKER_JVM = List.of("-XX:+UseSerialGC", "-Xms64m", "-Xss1m");

    @Option(names = "--config", required = true, paramLabel = "FILE", description = "The configuration, JSON.")
    private Path config;

    @Option(names = "--out", required = true, paramLabel = "RUN", description = "Folder of the recording.")
    private Path out;

    @Option(names = "--resume", description = "Go on with a recording that was cut off.")
    private boolean resume;

    @Option(names = "--log", paramLabel = "URL", description = "Log to commit to; needs --key and --trust.")
    private Optional<String> log = Optional.empty();

    @Option(
            names = "--key",
            paramLabel = "DIR",
            description = "Key that signs the commitments (default: one made beside RUN, in RUN.key).")
    private Optional<Path> key = Optional.empty();

    @Option(names = "--trust", paramLabel = "DIR", description = "Which log and witnesses count.")
    private Optional<Path> trust = Optional.empty();

    @Option(
            names = "--backend",
            paramLabel = "B",
            defaultValue = "vector",
            description = "vector, reference, cuda or ptx-emulator (default: ${DEFAULT-VALUE}). The bits are the same.")
    private String backend;

    @Mixin
    private GpuOptions gpu = new GpuOptions();

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "1",
            description = "Threads of each worker (default: ${DEFAULT-VALUE}). The bits are the same.")
    private int threads;

    @Option(
            names = "--csv",
            paramLabel = "FILE",
            description = "Append a line for every step: loss, norm, learning rate, time. Not part of the recording.")
    private Optional<Path> csv = Optional.empty();

    @Mixin
    private HostOptions hosts = new HostOptions();

    @Mixin
    private ExchangeOptions exchange = new ExchangeOptions();

    @Option(names = "--in-process", description = "Workers as threads of this process instead of processes.")
    private boolean inProcess;

    @Override
    protected Set<RuntimeNeed> needs() {
        return backend.equals(BackendId.VECTOR.text())
                ? Set.of(RuntimeNeed.ARROW, RuntimeNeed.VECTOR)
                : Set.of(RuntimeNeed.ARROW);
    }

    @Override
    protected CommandResult execute(CommandIo io)
            throws CommandFailure, IOException, AttestationException, DatasetException, RecorderException {
        BackendId id = CommandFailure.typed(() -> BackendId.parse(backend));
        gpu.choose(id);
        TrainConfig configuration = new TrainingFile(config).read();
        if (threads < 1 || threads > 1024) {
            throw CommandFailure.usage("--threads is from 1 to 1024, got " + threads);
        }
        requireFree();
        // Everything that can be refused is looked at before a key or a folder is made.
        Path dataset = dataset(configuration);
        Descriptor descriptor = new TrainingFile(config).descriptor(configuration, dataset);
        exchange.setting();
        hosts.require(descriptor.layout().size(), inProcess);
        if (hosts.wanted() && descriptor.elastic().isPresent()) {
            throw CommandFailure.usage(
                    "elastic and onLostWorker start workers anew, which --hosts cannot: leave one of them out");
        }
        List<PlantedFault> faults = faults(configuration, descriptor);
        exchange.require(descriptor, faults);
        Optional<SigningSink.Logging> logging = logging();
        SigningKey signer = signer(io);
        TrainingRun run = new TrainingRun(
                descriptor,
                dataset,
                out,
                resume,
                new TrainingRun.TrainerKey(signer.verifyingKey().spki()),
                configuration.audit(),
                faults);
        TrainingMeans means = new TrainingMeans(
                id,
                threads,
                launcher(descriptor, dataset, io),
                new SigningSink(signer, logging),
                identity(),
                hosts.answerLimit(),
                exchange.setting());
        return train(run, means, io, logging.isPresent());
    }

    /**
     * What is planted in the run: what its configuration says.
     *
     * @throws CommandFailure also where the run must not begin
     */
    protected List<PlantedFault> faults(TrainConfig configuration, Descriptor descriptor)
            throws CommandFailure, AttestationException, IOException {
        return configuration.faults();
    }

    /** The log that was named. */
    protected Optional<String> log() {
        return log;
    }

    /** The trust folder that was named. */
    protected Optional<Path> trust() {
        return trust;
    }

    private CommandResult train(TrainingRun run, TrainingMeans means, CommandIo io, boolean logged)
            throws CommandFailure, IOException, RecorderException {
        requireFree();
        long steps = run.descriptor().schedule().steps();
        try (ProgressBar bar = io.progress("training", steps);
                Closing log = new Closing(csv.isPresent() ? Optional.of(openLog(csv.get())) : Optional.empty())) {
            TrainingProgress progress = new TrainingProgress(bar, steps, System::nanoTime, log.log());
            TrainingResult result = new Trainer(run, means, progress).train();
            return TrainSummary.of(result, out, progress.commitments(), logged).result();
        } catch (BackendAbsentException e) {
            throw new CommandFailure(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
        } finally {
            hosts.finish(out);
            if (!resume) {
                UnopenedRun.remove(out);
            }
        }
    }

    private void requireFree() throws CommandFailure {
        if (!resume && Files.exists(out)) {
            throw CommandFailure.usage(out + " exists: name a folder that does not, or go on with --resume");
        }
    }

    private record Closing(Optional<TrainingLog> log) implements AutoCloseable {
        @Override
        public void close() {
            log.ifPresent(TrainingLog::close);
        }
    }

    private static TrainingLog openLog(Path file) throws CommandFailure {
        try {
            return TrainingLog.open(file, System::nanoTime);
        } catch (IOException e) {
            throw CommandFailure.usage("--csv: cannot write " + file + ": " + e.getMessage());
        }
    }

    private Path dataset(TrainConfig configuration) throws CommandFailure {
        // Before OPEN the copy in the recording may be half of one.
        if (resume && Files.exists(out.resolve(RecordingPaths.commitment(0).text()))) {
            return out.resolve(RecordingPaths.DATASET);
        }
        return new TrainingFile(config).dataset(configuration);
    }

    private Optional<SigningSink.Logging> logging() throws CommandFailure, AttestationException {
        if (log.isEmpty()) {
            return Optional.empty();
        }
        if (key.isEmpty() || trust.isEmpty()) {
            throw CommandFailure.usage(
                    "--log needs --key, which signs, and --trust, which says which log and witnesses count");
        }
        if (!LogSources.isUrl(log.get())) {
            throw CommandFailure.usage("--log is the address of a log server, got " + log.get()
                    + ": serve a log folder with `bitwitness log serve` and give the address that it prints");
        }
        URI url = CommandFailure.typed(() -> URI.create(log.get()));
        TrustPolicy policy = CommandFailure.own(() -> TrustPolicy.load(trust.get()));
        // Only whether it answers: what it publishes now may be cosigned for an older policy until the next entry.
        LogSources.at(log.get()).read("checkpoint", SignedNote.MAX_BYTES);
        return Optional.of(new SigningSink.Logging(new HttpLogClient(url, policy.witnesses()), policy.witnesses()));
    }

    /** The key of {@code --key}, else one that is made once beside the recording. */
    private SigningKey signer(CommandIo io) throws AttestationException, CommandFailure {
        if (key.isPresent()) {
            return CommandFailure.own(() -> new KeyFolder(key.get()).signingKey(Passphrases.ask()));
        }
        Path beside = out.resolveSibling(out.getFileName() + ".key");
        if (Files.isDirectory(beside)) {
            return CommandFailure.own(() -> new KeyFolder(beside).signingKey());
        }
        io.note("no --key: made one in " + beside + ", which nobody trusts yet");
        return KeyFolder.createP256(beside, new SecureRandom()).signingKey();
    }

    private WorkerLauncher launcher(Descriptor descriptor, Path dataset, CommandIo io)
            throws CommandFailure, IOException {
        if (hosts.wanted()) {
            return hosts.workers(out, dataset, descriptor.layout().size(), io);
        }
        if (inProcess) {
            return new InProcessWorkers();
        }
        return new ChildWorkers(arguments -> {
            List<String> command = new ArrayList<>(List.of("train-worker"));
            command.addAll(arguments);
            return Relaunch.process(command, WORKER_JVM);
        });
    }

    private static ModelIdentity identity() {
        return folder -> {
            try {
                return ModelSignature.root(folder);
            } catch (AttestationException e) {
                throw new RecorderException("the released model: " + e.getMessage(), e);
            }
        };
    }
}
