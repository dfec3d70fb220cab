package org.bitwitness.cli.dispute;

import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.bitwitness.replayer.dispute.DisputeGame;
import org.bitwitness.replayer.dispute.Move;
import org.bitwitness.replayer.dispute.OperatorCase;
import org.bitwitness.replayer.dispute.OperatorJudge;
import org.bitwitness.replayer.dispute.Rulings;
import org.bitwitness.replayer.dispute.Status;

/**
 * What a referee does next: it rules as soon as it can, and until then lets the clock of one answer run.
 *
 * @param notes hears why it cannot rule
 */
record RefereeDesk(InstantSource clock, Consumer<String> notes) {

    /** The referee's next move; nothing where it has to wait, or has ruled. */
    Optional<Move> next(Transcript transcript) {
        DisputeGame game = transcript.game();
        return switch (game.status()) {
            case Status.Ruled _ -> Optional.empty();
            case Status.Lost lost -> Optional.of(ruling(Rulings.against(lost.loser()), Move.Ground.CONTRADICTION));
            case Status.Waiting _ -> {
                Optional<Move> executed = game.operator().flatMap(operator -> execute(operator, transcript));
                yield executed.isPresent() ? executed : clock(game);
            }
        };
    }

    private Optional<Move> execute(OperatorCase operator, Transcript transcript) {
        OperatorJudge.Finding finding = OperatorJudge.judge(
                operator, new FolderShelf(transcript.folder().data()));
        return switch (finding) {
            case OperatorJudge.Finding.Computed computed ->
                Optional.of(new Move.Ruling(
                        now(),
                        Rulings.outcome(operator, computed.root()),
                        Move.Ground.OPERATOR,
                        computed.backends(),
                        Optional.of(computed.root())));
            case OperatorJudge.Finding.Undecided undecided -> {
                notes.accept(undecided.why());
                yield Optional.of(new Move.Ruling(
                        now(), Move.Outcome.UNDECIDED, Move.Ground.OPERATOR, undecided.backends(), Optional.empty()));
            }
            case OperatorJudge.Finding.NoData missing -> {
                notes.accept(missing.why());
                yield Optional.empty();
            }
        };
    }

    /** Starts the clock, lets it run, or ends the dispute when it is over. */
    private Optional<Move> clock(DisputeGame game) {
        long now = now();
        if (game.receipt().isEmpty()) {
            return Optional.of(new Move.Receipt(now, now + game.open().answerSeconds()));
        }
        return now > game.receipt().get().deadline()
                ? Optional.of(ruling(Rulings.against(Rulings.silent(game)), Move.Ground.FORFEIT))
                : Optional.empty();
    }

    private Move.Ruling ruling(Move.Outcome outcome, Move.Ground ground) {
        return new Move.Ruling(now(), outcome, ground, List.of(), Optional.empty());
    }

    private long now() {
        return clock.instant().getEpochSecond();
    }
}
