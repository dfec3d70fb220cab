package org.bitwitness.replayer.dispute;

import java.util.Optional;
import org.bitwitness.protocol.Sha256;

/** Which rulings a referee may give at a place. What an operator computes is not checked here but by {@link OperatorJudge}. */
public final class Rulings {
    private Rulings() {}

    /** The loser's outcome. */
    public static Move.Outcome against(Party loser) {
        return loser == Party.TRAINER ? Move.Outcome.TRAINER_LOSES : Move.Outcome.AUDITOR_LOSES;
    }

    /** Who forfeits when nothing more comes: whose turn it is; after its last message the auditor, who owes the data. */
    public static Party silent(DisputeGame game) {
        return game.status() instanceof Status.Waiting waiting && waiting.from() != Party.REFEREE
                ? waiting.from()
                : Party.AUDITOR;
    }

    /** Who loses when the disputed output has root {@code computed}. */
    public static Move.Outcome outcome(OperatorCase operator, Sha256 computed) {
        if (computed.equals(operator.trainer())) {
            return Move.Outcome.AUDITOR_LOSES;
        }
        return computed.equals(operator.auditor()) ? Move.Outcome.TRAINER_LOSES : Move.Outcome.BOTH_LOSE;
    }

    /** Why this ruling is none; empty when it is one. */
    static Optional<String> problem(DisputeGame game, Move.Ruling ruling) {
        return switch (ruling.ground()) {
            case FORFEIT -> forfeit(game, ruling);
            case CONTRADICTION ->
                game.status() instanceof Status.Lost lost
                        ? unless(
                                ruling.outcome() == against(lost.loser())
                                        && ruling.computed().isEmpty(),
                                "the %s contradicts itself, the ruling says %s"
                                        .formatted(lost.loser(), ruling.outcome()))
                        : Optional.of("no message contradicts its signer: " + DisputeGame.describe(game.status()));
            case OPERATOR -> operator(game, ruling);
        };
    }

    private static Optional<String> forfeit(DisputeGame game, Move.Ruling ruling) {
        if (!(game.status() instanceof Status.Waiting)) {
            return Optional.of("nobody is waited for: " + DisputeGame.describe(game.status()));
        }
        if (game.receipt().isEmpty() || ruling.seenAt() <= game.receipt().get().deadline()) {
            return Optional.of("a forfeit needs a receipt whose deadline is over");
        }
        Party silent = silent(game);
        return unless(
                ruling.outcome() == against(silent) && ruling.computed().isEmpty(),
                "the %s is silent, the ruling says %s".formatted(silent, ruling.outcome()));
    }

    private static Optional<String> operator(DisputeGame game, Move.Ruling ruling) {
        if (game.operator().isEmpty()) {
            return Optional.of("no operator is left to execute yet: " + DisputeGame.describe(game.status()));
        }
        if (ruling.computed().isEmpty()) {
            return unless(
                    ruling.outcome() == Move.Outcome.UNDECIDED, "without a computed root nobody loses by the operator");
        }
        Move.Outcome follows = outcome(game.operator().get(), ruling.computed().get());
        return unless(
                ruling.outcome() == follows,
                "root %s gives %s, the ruling says %s"
                        .formatted(ruling.computed().get(), follows, ruling.outcome()));
    }

    private static Optional<String> unless(boolean holds, String otherwise) {
        return holds ? Optional.empty() : Optional.of(otherwise);
    }
}
