package org.bitwitness.cli.dispute;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.keys.KeyFolder;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.protocol.CommitmentDigest;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.replayer.CommittedRun;
import org.bitwitness.replayer.ReplayException;
import org.bitwitness.replayer.dispute.DisputeException;
import org.bitwitness.replayer.dispute.DisputeGame;
import org.bitwitness.replayer.dispute.Move;
import org.bitwitness.replayer.dispute.OperatorCase;
import org.bitwitness.replayer.dispute.OperatorJudge;
import org.bitwitness.replayer.dispute.Party;
import org.bitwitness.replayer.dispute.Rulings;
import org.bitwitness.replayer.dispute.Status;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bitwitness dispute verify}: what anybody can check later, from the folder alone. */
@Command(
        name = "verify",
        description = {
            "Verify a dispute: every signature, hash and rule, and the disputed operator once more.",
            "Exit 0: decided, and the decision holds, whoever lost; 2: changed, or a false ruling;",
            "3: not decided, or it rests on something that you have not said you trust."
        },
        footerHeading = "%nExample:%n",
        footer = "  bitwitness dispute verify dispute-17-2 --run demo-out/run")
final class DisputeVerify extends DisputeAction {
    @Mixin
    private DisputePlace place = new DisputePlace();

    @Option(names = "--run", paramLabel = "RUN", description = "A recording whose commitments you trust.")
    private Optional<Path> run = Optional.empty();

    @Option(names = "--commitment", paramLabel = "HEX", description = "Digest of the commitment that you trust.")
    private Optional<String> commitment = Optional.empty();

    @Option(names = "--referee", paramLabel = "PEM", description = "Key of a referee whose clock you trust.")
    private Optional<Path> referee = Optional.empty();

    /** What verification came to. */
    private record Result(ExitCode exitCode, Optional<Move.Outcome> outcome, String why) {}

    @Override
    protected CommandResult execute(CommandIo io) throws Exception {
        try (DisputePlace dispute = place) {
            return verify(dispute);
        }
    }

    private CommandResult verify(DisputePlace dispute) throws Exception {
        Transcript transcript = dispute.read();
        requireCommitment(transcript);
        Result result = bound(transcript, decided(transcript));
        Map<String, Object> document = DisputeText.document(transcript);
        document.put("verified", result.exitCode() == ExitCode.OK);
        result.outcome().ifPresent(outcome -> document.put("verifiedOutcome", outcome.name()));
        document.put("why", result.why());
        List<String> lines = new ArrayList<>(DisputeText.lines(transcript));
        lines.add("verified   %s%s"
                .formatted(result.outcome().map(outcome -> outcome + ": ").orElse("no: "), result.why()));
        return CommandResult.of(result.exitCode(), document, lines);
    }

    private void requireCommitment(Transcript transcript) throws CommandFailure, ReplayException, DisputeException {
        CommitmentDigest disputed = transcript.game().open().commitment();
        if (commitment.isPresent()) {
            if (!Sha256.isHex(commitment.get())) {
                throw CommandFailure.usage("--commitment should be 64 lower-case hex digits, is " + commitment.get());
            }
            if (!disputed.digest().hex().equals(commitment.get())) {
                throw new DisputeException(
                        "the dispute is about commitment %s, not %s".formatted(disputed, commitment.get()));
            }
        }
        if (run.isPresent()) {
            CommittedRun.open(run.get(), Optional.of(disputed)).close();
        }
    }

    /** A trainer loses only by a commitment that is known to be its own. */
    private Result bound(Transcript transcript, Result result) {
        boolean accuses = result.outcome()
                .filter(o -> o == Move.Outcome.TRAINER_LOSES || o == Move.Outcome.BOTH_LOSE)
                .isPresent();
        if (!accuses || transcript.trainerIsBound() || commitment.isPresent() || run.isPresent()) {
            return result;
        }
        return new Result(
                ExitCode.INCONCLUSIVE,
                Optional.empty(),
                "nothing here is signed by the trainer: name the commitment that you trust with --commitment or --run");
    }

    private Result decided(Transcript transcript) throws AttestationException {
        DisputeGame game = transcript.game();
        return switch (game.status()) {
            case Status.Waiting waiting ->
                new Result(ExitCode.INCONCLUSIVE, Optional.empty(), "not decided: " + DisputeGame.describe(waiting));
            case Status.Lost lost -> new Result(ExitCode.OK, Optional.of(Rulings.against(lost.loser())), lost.why());
            case Status.Ruled ruled -> ruled(transcript, ruled.ruling());
        };
    }

    private Result ruled(Transcript transcript, Move.Ruling ruling) throws AttestationException {
        return switch (ruling.ground()) {
            case CONTRADICTION ->
                new Result(
                        ExitCode.OK,
                        Optional.of(ruling.outcome()),
                        "a signed message contradicts what its signer had committed to");
            case FORFEIT -> forfeit(transcript, ruling);
            case OPERATOR -> executed(transcript, ruling);
        };
    }

    /** No later reader can know whether somebody was silent; the referee's word is all there is. */
    private Result forfeit(Transcript transcript, Move.Ruling ruling) throws AttestationException {
        Optional<OperatorCase> operator = transcript.game().operator();
        if (operator.isPresent()
                && judge(transcript, operator.get()) instanceof OperatorJudge.Finding.Computed computed) {
            return new Result(
                    ExitCode.INCONCLUSIVE,
                    Optional.empty(),
                    "the referee missed data that lies here now; executed here, it would be "
                            + Rulings.outcome(operator.get(), computed.root()));
        }
        boolean trusted =
                referee.isPresent() && KeyFolder.readVerifyingKey(referee.get()).equals(transcript.key(Party.REFEREE));
        return trusted
                ? new Result(
                        ExitCode.OK,
                        Optional.of(ruling.outcome()),
                        "a forfeit by the clock of the referee you trust; it proves nothing about the gradient")
                : new Result(
                        ExitCode.INCONCLUSIVE,
                        Optional.empty(),
                        "a forfeit rests on the clock of key %s: name it with --referee if you trust it"
                                .formatted(transcript.key(Party.REFEREE).id()));
    }

    private static Result executed(Transcript transcript, Move.Ruling ruling) {
        OperatorCase operator = transcript.game().operator().orElseThrow();
        return switch (judge(transcript, operator)) {
            case OperatorJudge.Finding.NoData missing ->
                new Result(
                        ExitCode.INCONCLUSIVE,
                        Optional.empty(),
                        "only the referee's word is left, since the operator cannot be executed again: "
                                + missing.why());
            case OperatorJudge.Finding.Undecided undecided ->
                new Result(ExitCode.INCONCLUSIVE, Optional.empty(), undecided.why());
            case OperatorJudge.Finding.Computed computed -> compare(operator, ruling, computed);
        };
    }

    private static OperatorJudge.Finding judge(Transcript transcript, OperatorCase operator) {
        return OperatorJudge.judge(operator, new FolderShelf(transcript.folder().data()));
    }

    private static Result compare(OperatorCase operator, Move.Ruling ruling, OperatorJudge.Finding.Computed computed) {
        Move.Outcome here = Rulings.outcome(operator, computed.root());
        if (ruling.computed().isPresent() && !ruling.computed().get().equals(computed.root())) {
            return new Result(
                    ExitCode.REFUSED,
                    Optional.empty(),
                    "the ruling is false: %s gives %s here, which means %s; the referee says %s, %s"
                            .formatted(
                                    DisputeText.operator(operator, false),
                                    computed.root(),
                                    here,
                                    ruling.computed().get(),
                                    ruling.outcome()));
        }
        return ruling.computed().isEmpty()
                ? new Result(
                        ExitCode.INCONCLUSIVE,
                        Optional.empty(),
                        "the referee could not decide; executed here, it would be " + here)
                : new Result(
                        ExitCode.OK,
                        Optional.of(here),
                        "%s, executed again, gives the root of the ruling"
                                .formatted(DisputeText.operator(operator, false)));
    }
}
