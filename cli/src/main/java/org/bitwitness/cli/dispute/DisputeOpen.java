package org.bitwitness.cli.dispute;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Optional;
import org.bitwitness.attestation.keys.KeyFolder;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.cli.support.BackendOptions;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.cli.support.Passphrases;
import org.bitwitness.cli.support.ProgressBar;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.format.DescriptorJson;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.record.WorkerRecord;
import org.bitwitness.replayer.CommittedRun;
import org.bitwitness.replayer.EngineFactory;
import org.bitwitness.replayer.ReplayException;
import org.bitwitness.replayer.ReplayOptions;
import org.bitwitness.replayer.ReplaySalt;
import org.bitwitness.replayer.TracedWorker;
import org.bitwitness.replayer.dispute.Answers;
import org.bitwitness.replayer.dispute.DisputeException;
import org.bitwitness.replayer.dispute.Move;
import org.bitwitness.replayer.dispute.Premise;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bitwitness dispute open}: the auditor says what its own replay gives. */
@Command(
        name = "open",
        description = {
            "Open a dispute over one worker's gradient: replay it, and say in a signed message",
            "which trace came out. Exit 0: opened; 1: nothing is disputed, or nothing was judged."
        },
        footerHeading = "%nExample:%n",
        footer = "  bitwitness dispute open demo-out/run --unit \"GRADIENT(17,2)\" --key keys/me"
                + " --referee keys/referee/public.pem --out dispute-17-2")
final class DisputeOpen extends DisputeAction {
    @Parameters(paramLabel = "RUN", description = "Folder of the recording.")
    private Path run = Path.of("");

    @Option(names = "--unit", required = true, paramLabel = "U", description = "GRADIENT(17,2): step 17, worker 2.")
    private String unit = "";

    @Option(names = "--key", required = true, paramLabel = "DIR", description = "Key folder of the auditor.")
    private Path key = Path.of("");

    @Option(names = "--referee", required = true, paramLabel = "PEM", description = "Public key of the referee.")
    private Path referee = Path.of("");

    @Option(names = "--out", required = true, paramLabel = "DIR", description = "Folder of the dispute, to be made.")
    private Path out = Path.of("");

    @Option(
            names = "--answer-within",
            paramLabel = "SECONDS",
            description = "Time for an answer, from a receipt of the referee on. Default: 86400, a day.")
    private long answerSeconds = 86_400;

    @Mixin
    private BackendOptions backend = new BackendOptions();

    @Override
    protected CommandResult execute(CommandIo io) throws Exception {
        AuditUnit.Gradient gradient = gradient();
        SigningKey signer = new KeyFolder(key).signingKey(Passphrases.ask());
        VerifyingKey arbiter = KeyFolder.readVerifyingKey(referee);
        try (CommittedRun committed = CommittedRun.open(run, Optional.empty());
                ProgressBar bar = io.progress("replay " + gradient, 0)) {
            TracedWorker worker = TracedWorker.of(committed, gradient);
            ReplayOptions options = new ReplayOptions(backend.id(), backend.threads(), ReplaySalt.NONE);
            TracedWorker.Replayed replayed = worker.replay(
                    EngineFactory.STANDARD,
                    options,
                    (done, total, note) -> bar.update(done, "of " + total + ", " + note));
            requireDifference(worker, replayed, gradient);
            requireThreeKeys(signer.verifyingKey(), arbiter, committed);
            Move.Open open = new Move.Open(
                    committed.commitment().runId(),
                    committed.commitment().digest(),
                    gradient,
                    worker.inclusion(),
                    hex(signer.verifyingKey()),
                    hex(arbiter),
                    seconds(),
                    new Answers(replayed.trace()).claim());
            write(open, committed, worker, signer);
            new DisputeFolder(out).memo().write(replayed.trace());
        }
        Transcript transcript = Transcript.read(new DisputeFolder(out));
        return CommandResult.of(ExitCode.OK, DisputeText.document(transcript), DisputeText.lines(transcript));
    }

    private AuditUnit.Gradient gradient() throws CommandFailure {
        try {
            if (AuditUnit.parse(unit) instanceof AuditUnit.Gradient gradient) {
                return gradient;
            }
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(String.valueOf(e.getMessage()));
        }
        throw CommandFailure.usage("a dispute is over one worker's gradient, GRADIENT(step,worker), not over " + unit
                + ": reductions and updates are few values that anybody repeats with replay");
    }

    private long seconds() throws CommandFailure {
        if (answerSeconds < Move.Open.MIN_ANSWER_SECONDS || answerSeconds > Move.Open.MAX_ANSWER_SECONDS) {
            throw CommandFailure.usage("--answer-within should be %d to %d seconds, is %d"
                    .formatted(Move.Open.MIN_ANSWER_SECONDS, Move.Open.MAX_ANSWER_SECONDS, answerSeconds));
        }
        return answerSeconds;
    }

    private static void requireDifference(
            TracedWorker worker, TracedWorker.Replayed replayed, AuditUnit.Gradient gradient) throws CommandFailure {
        WorkerRecord record = worker.worker();
        boolean sameGradient = replayed.trace().gradientRoot().equals(record.gradientRoot());
        boolean sameTrace = record.traceRoot().isEmpty()
                || record.traceRoot().get().equals(replayed.trace().traceRoot());
        if (sameGradient && sameTrace) {
            throw CommandFailure.usage(
                    "%s comes out as recorded, gradient and trace: nothing is disputed".formatted(gradient));
        }
    }

    private static void requireThreeKeys(VerifyingKey auditor, VerifyingKey arbiter, CommittedRun committed)
            throws CommandFailure {
        String trainer = committed.open().trainerKeyHex();
        if (auditor.equals(arbiter)
                || hex(auditor).equals(trainer)
                || hex(arbiter).equals(trainer)) {
            throw CommandFailure.usage("auditor, trainer and referee need three different keys");
        }
    }

    private void write(Move.Open open, CommittedRun committed, TracedWorker worker, SigningKey signer)
            throws ProtocolException, IOException, ReplayException, DisputeException {
        RecordingReader reader = RecordingReader.open(run);
        DisputeFolder.Pieces pieces = new DisputeFolder.Pieces(
                reader.open().toBytes(),
                committed.commitment().toBytes(),
                DescriptorJson.write(committed.descriptor()),
                worker.record().toBytes(),
                bundle(reader, committed.commitment().sequence()));
        Premise.of(open, pieces.open(), pieces.commitment(), pieces.descriptor(), pieces.step());
        DisputeFolder.create(out, pieces).append(0, Transcript.opening(signer, open));
    }

    /** The trainer's signature, where the recording has one that names it. */
    private static Optional<byte[]> bundle(RecordingReader reader, long sequence) {
        try {
            byte[] bytes = reader.commitmentBundle(sequence);
            // Recordings made without keys hold an empty object.
            return bytes.length > 2 ? Optional.of(bytes) : Optional.empty();
        } catch (ProtocolException e) {
            return Optional.empty();
        }
    }

    private static String hex(VerifyingKey key) {
        return HexFormat.of().formatHex(key.spki());
    }
}
