package org.bitwitness.replayer.dispute;

import java.util.Optional;
import org.bitwitness.kernels.trace.PlannedEntry;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.TraceRoot;
import org.bitwitness.protocol.merkle.InclusionProof;
import org.bitwitness.protocol.merkle.MerkleTree;
import org.bitwitness.replayer.dispute.Status.Need;

/**
 * The rules. It hears every move in order and says whose turn it is. The invariant of the descent: left of the node that it
 * stands at the two trees are equal, at the node they differ; so at the end the first entry that differs is found, and all
 * that it reads is agreed.
 *
 * <p>The auditor speaks first at every level, then the trainer: 2 messages for each level, 6 around them.
 */
public final class DisputeGame {
    private final DisputedUnit unit;
    private final Move.Open open;
    private final TreeDescent descent;
    private Status status = new Status.Waiting(Party.TRAINER, Need.DEFENCE);
    private Optional<Move.Halves> auditorHalves = Optional.empty();
    private Optional<Move.Entry> auditorEntry = Optional.empty();
    private Optional<Move.Entry> trainerEntry = Optional.empty();
    private Optional<OperatorCase> operator = Optional.empty();
    private Optional<Move.Receipt> receipt = Optional.empty();
    private long clock;

    /** Begins with the first message; what the premise alone decides is decided. */
    public DisputeGame(DisputedUnit unit, Move.Open open) {
        this.unit = unit;
        this.open = open;
        this.descent = new TreeDescent(unit.entries().size(), open.claim().traceRoot());
        Optional<String> wrong = problem(open.claim());
        if (wrong.isPresent()) {
            status = new Status.Lost(Party.AUDITOR, wrong.get());
        } else if (recordedTrace().equals(Optional.of(open.claim().traceRoot()))) {
            status = sameTrace();
        }
    }

    /** The committed trace is the auditor's: then the record agrees with it, or with itself it does not. */
    private Status sameTrace() {
        var gradient = unit.gradientRoot(open.claim().emitted());
        return gradient.equals(unit.worker().gradientRoot())
                ? new Status.Lost(Party.AUDITOR, "its own trace is the committed one: nothing is disputed")
                : new Status.Lost(
                        Party.TRAINER,
                        "its committed trace ends in gradient %s, its record says %s"
                                .formatted(gradient, unit.worker().gradientRoot()));
    }

    public DisputedUnit unit() {
        return unit;
    }

    public Move.Open open() {
        return open;
    }

    public Status status() {
        return status;
    }

    /** The operator and its inputs, once they are proven. */
    public Optional<OperatorCase> operator() {
        return operator;
    }

    /** The receipt that the clock of whoever is to answer runs from. */
    public Optional<Move.Receipt> receipt() {
        return receipt;
    }

    /** First and last entry, exclusive, between which the first difference lies. */
    public String span() {
        return "entries %d to %d of %d"
                .formatted(descent.low(), descent.high() - 1, unit.entries().size());
    }

    /** The entry that the descent stands before; at its end the first that differs. */
    public PlannedEntry disputedEntry() {
        return unit.entries().get(descent.low());
    }

    TreeDescent descent() {
        return descent;
    }

    /** The disputed output, once both sides have shown the entry. */
    Optional<Integer> disputedOutput() {
        return auditorEntry.flatMap(mine -> trainerEntry.map(theirs -> firstDifferent(mine, theirs)));
    }

    private static int firstDifferent(Move.Entry a, Move.Entry b) {
        int output = 0;
        while (a.outputs().get(output).equals(b.outputs().get(output))) {
            output++;
        }
        return output;
    }

    /**
     * Hears the next move.
     *
     * @param signer whose signature it carries
     * @throws DisputeException if it is not this side's turn for such a move: it counts for nothing and the game stands
     */
    public void accept(Party signer, Move move) throws DisputeException {
        if (move instanceof Move.Receipt next && signer == Party.REFEREE) {
            hear(next);
            return;
        }
        if (move instanceof Move.Ruling ruling && signer == Party.REFEREE) {
            hear(ruling);
            return;
        }
        if (!(status instanceof Status.Waiting waiting) || waiting.from() != signer) {
            throw new DisputeException("the %s is not to speak now: %s".formatted(signer, describe(status)));
        }
        status = switch (move) {
            case Move.Defence defence when waiting.need() == Need.DEFENCE -> hear(defence);
            case Move.Halves halves when waiting.need() == Need.HALVES -> hear(signer, halves);
            case Move.Entry entry when waiting.need() == Need.ENTRY -> hear(signer, entry);
            case Move.Inputs inputs when waiting.need() == Need.INPUTS -> hear(inputs);
            default ->
                throw new DisputeException("expected of the %s: %s; found a message of kind %s"
                        .formatted(signer, waiting.need().text(), MoveCodec.kind(move)));
        };
        receipt = Optional.empty();
    }

    /** For people: who has to do what. */
    public static String describe(Status status) {
        return switch (status) {
            case Status.Waiting waiting ->
                "it is the %s's turn, with %s"
                        .formatted(waiting.from(), waiting.need().text());
            case Status.Lost lost -> "the %s has lost: %s".formatted(lost.loser(), lost.why());
            case Status.Ruled ruled -> "the referee has ruled " + ruled.ruling().outcome();
        };
    }

    private Status hear(Move.Defence defence) {
        Move.Claim claim = defence.claim();
        Optional<String> wrong = problem(claim).or(() -> bound(claim));
        if (wrong.isPresent()) {
            return new Status.Lost(Party.TRAINER, wrong.get());
        }
        if (claim.traceRoot().equals(open.claim().traceRoot())) {
            return new Status.Lost(Party.AUDITOR, "its own trace is the trainer's: nothing is disputed");
        }
        descent.begin(claim.traceRoot());
        return new Status.Waiting(Party.AUDITOR, Need.HALVES);
    }

    /** What a claim must prove by itself: its last entry stands in its tree. */
    private Optional<String> problem(Move.Claim claim) {
        int last = unit.entries().size() - 1;
        Optional<Sha256> leaf = unit.leafHash(last, claim.emitted());
        boolean stands = leaf.isPresent()
                && new InclusionProof(last, unit.entries().size(), claim.path()).proves(leaf.get(), claim.traceRoot());
        return stands
                ? Optional.empty()
                : Optional.of("the last entry it shows is not that of the trace root it claims, " + claim.traceRoot());
    }

    /** What binds the trainer to its record. */
    private Optional<String> bound(Move.Claim claim) {
        if (recordedTrace().isPresent() && !recordedTrace().get().equals(claim.traceRoot())) {
            return Optional.of("it claims trace root %s and has committed to %s"
                    .formatted(claim.traceRoot(), recordedTrace().get()));
        }
        var gradient = unit.gradientRoot(claim.emitted());
        return gradient.equals(unit.worker().gradientRoot())
                ? Optional.empty()
                : Optional.of("its trace ends in gradient %s, it has committed to %s"
                        .formatted(gradient, unit.worker().gradientRoot()));
    }

    private Optional<Sha256> recordedTrace() {
        return unit.worker().traceRoot().map(TraceRoot::digest);
    }

    private Status hear(Party signer, Move.Halves halves) {
        if (!MerkleTree.nodeHash(halves.left(), halves.right()).equals(descent.node(signer))) {
            return new Status.Lost(
                    signer,
                    "the halves it shows for %s do not hash to the node it was bound to, %s"
                            .formatted(span(), descent.node(signer)));
        }
        if (signer == Party.AUDITOR) {
            auditorHalves = Optional.of(halves);
            return new Status.Waiting(Party.TRAINER, Need.HALVES);
        }
        descent.down(auditorHalves.orElseThrow(), halves);
        return new Status.Waiting(Party.AUDITOR, descent.isLeaf() ? Need.ENTRY : Need.HALVES);
    }

    private Status hear(Party signer, Move.Entry entry) {
        Optional<Sha256> leaf = unit.leafHash(descent.low(), entry.outputs());
        if (!leaf.equals(Optional.of(descent.node(signer)))) {
            return new Status.Lost(
                    signer,
                    "the outputs it shows for entry %d are not those of the leaf it was bound to, %s"
                            .formatted(descent.low(), descent.node(signer)));
        }
        if (signer == Party.AUDITOR) {
            auditorEntry = Optional.of(entry);
            return new Status.Waiting(Party.TRAINER, Need.ENTRY);
        }
        trainerEntry = Optional.of(entry);
        return new Status.Waiting(Party.AUDITOR, Need.INPUTS);
    }

    private Status hear(Move.Inputs inputs) {
        int output = disputedOutput().orElseThrow();
        ProvenInputs.Result result = ProvenInputs.check(
                unit, disputedEntry(), output, inputs, open.claim().traceRoot());
        return switch (result) {
            case ProvenInputs.Wrong wrong -> new Status.Lost(Party.AUDITOR, wrong.why());
            case ProvenInputs.Proven proven -> {
                operator = Optional.of(new OperatorCase(
                        unit,
                        disputedEntry(),
                        output,
                        trainerEntry.orElseThrow().outputs().get(output),
                        auditorEntry.orElseThrow().outputs().get(output),
                        proven.roots(),
                        inputs.scalars(),
                        proven.rowsRoot()));
                yield new Status.Waiting(Party.REFEREE, Need.RULING);
            }
        };
    }

    private void hear(Move.Receipt next) throws DisputeException {
        if (!(status instanceof Status.Waiting waiting) || receipt.isPresent()) {
            throw new DisputeException(
                    "a receipt starts the clock of one answer; there is none to wait for, or it runs");
        }
        forward(next.seenAt());
        if (next.deadline() != next.seenAt() + open.answerSeconds()) {
            throw new DisputeException("the dispute allows %d seconds for an answer by the %s, the receipt %d"
                    .formatted(open.answerSeconds(), waiting.from(), next.deadline() - next.seenAt()));
        }
        receipt = Optional.of(next);
    }

    private void hear(Move.Ruling ruling) throws DisputeException {
        if (status instanceof Status.Ruled) {
            throw new DisputeException("the dispute is ruled already");
        }
        Optional<String> problem = Rulings.problem(this, ruling);
        if (problem.isPresent()) {
            throw new DisputeException(problem.get());
        }
        forward(ruling.seenAt());
        status = new Status.Ruled(ruling);
    }

    private void forward(long seenAt) throws DisputeException {
        if (seenAt < clock) {
            throw new DisputeException("the referee's clock went back from %d to %d".formatted(clock, seenAt));
        }
        clock = seenAt;
    }
}
