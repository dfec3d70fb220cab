package org.bitwitness.replayer.dispute;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.trace.TraceEntry;
import org.bitwitness.kernels.trace.WorkerTrace;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.GradientRoot;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.record.StepRecord;
import org.bitwitness.protocol.record.WorkerRecord;
import org.bitwitness.replayer.CommittedRun;
import org.bitwitness.replayer.Lie;
import org.bitwitness.replayer.TestTrainer;
import org.bitwitness.replayer.TracedWorker;
import org.bitwitness.replayer.dispute.Status.Need;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Disputes over recordings of a real training run, from the first message to what the operator says. */
class DisputeTest {
    private static final String UNIT = "GRADIENT(0,1)";

    @TempDir
    private static Path temp;

    private static Path honest;

    @BeforeAll
    static void train() throws Exception {
        honest = temp.resolve("honest");
        TestTrainer.train(honest, small(), Lie.NONE);
    }

    private static TestTrainer.Shape small() {
        return new TestTrainer.Shape(2, TestTrainer.Shape.SMALL.reduction(), TestTrainer.Shape.SMALL.trace(), 2);
    }

    private Path lying(String name, Lie lie) throws Exception {
        Path run = temp.resolve(name);
        TestTrainer.train(run, small(), lie);
        return run;
    }

    /** At most 2 messages for each level of the tree, 6 around them; the referee read nothing but this operator's inputs. */
    private static void assertSmall(Contest contest) {
        int entries = contest.game().unit().entries().size();
        int levels = 32 - Integer.numberOfLeadingZeros(entries - 1);
        assertTrue(
                contest.messages() <= 6 + 2 * levels,
                "%d messages over %d entries".formatted(contest.messages(), entries));
        OperatorCase operator = contest.game().operator().orElseThrow();
        Set<Sha256> allowed = new java.util.HashSet<>(operator.inputs().values());
        operator.rowsRoot().ifPresent(allowed::add);
        assertTrue(allowed.containsAll(contest.shelf().taken()), "the referee took data of other operators");
    }

    @ParameterizedTest
    @CsvSource({
        "embedding, transformer.wte",
        "linear, transformer.h.0.attn.c_attn",
        "attention, transformer.h.0.attn",
        "gelu, transformer.h.0.mlp.gelu",
        "cross_entropy, loss",
        "linear_weight_gradient, transformer.h.0.mlp.c_proj",
        "layer_norm_gradient, transformer.ln_f",
        "embedding_gradient, transformer.wte",
        "accumulate, accumulate"
    })
    void aTrainerWithOneFalseOperatorLosesAtThatOperator(String kind, String name) throws Exception {
        String exact = exactName(kind, name);
        Contest contest = Contest.of(lying(kind, FaultyBackend.lie(kind, exact)), UNIT, Contest.SOUND)
                .play();
        OperatorCase operator = contest.game().operator().orElseThrow();
        assertEquals(kind, operator.entry().op());
        assertEquals(exact, operator.entry().name());
        assertEquals(Move.Outcome.TRAINER_LOSES, contest.ruled());
        assertSmall(contest);
    }

    @ParameterizedTest
    @CsvSource({
        "linear, transformer.h.0.attn.c_attn",
        "attention_gradient, transformer.h.0.attn",
        "dropout_add, transformer.h.0.attn",
        "accumulate, accumulate"
    })
    void anAuditorWithOneFalseOperatorLosesAtThatOperator(String kind, String name) throws Exception {
        Contest contest = Contest.of(honest, UNIT, Contest.broken(kind, exactName(kind, name)))
                .play();
        OperatorCase operator = contest.game().operator().orElseThrow();
        assertEquals(kind, operator.entry().op());
        assertEquals(Move.Outcome.AUDITOR_LOSES, contest.ruled());
        assertSmall(contest);
    }

    /** The program's name of the operator of this kind whose name begins so. */
    private static String exactName(String kind, String prefix) throws Exception {
        return worker(honest).recorded().orElseThrow().entries().stream()
                .map(TraceEntry::planned)
                .filter(entry -> entry.op().equals(kind))
                .map(entry -> entry.name())
                .sorted((a, b) -> Boolean.compare(b.startsWith(prefix), a.startsWith(prefix)))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no operator " + kind));
    }

    private static TracedWorker worker(Path run) throws Exception {
        return TracedWorker.of(CommittedRun.open(run, Optional.empty()), (AuditUnit.Gradient) AuditUnit.parse(UNIT));
    }

    @Test
    void aTrainerThatScalesItsGradientAfterTheLastOperatorLosesAtTheHandOverWithoutAnyData() throws Exception {
        Path run = lying("scaled", new Lie() {
            @Override
            public void beforeEmit(long step, int position, Gradients gradients) {
                gradients.tensor(3)[0] += 1f;
            }
        });
        Contest contest = Contest.of(run, UNIT, Contest.SOUND).play();
        assertEquals("emit", contest.game().operator().orElseThrow().entry().op());
        assertEquals(Move.Outcome.TRAINER_LOSES, contest.ruled());
        assertTrue(contest.shelf().taken().isEmpty(), "handing over reads no data");
    }

    @Test
    void whereBothComputeTheSameOperatorWronglyBothLose() throws Exception {
        String name = exactName("linear", "transformer.h.0.attn.c_attn");
        Path run = lying("both", FaultyBackend.lie("linear", name));
        Contest contest = Contest.of(run, UNIT, Contest.broken("linear", name)).until(Need.DEFENCE);
        // The same fault on both sides gives the same trace: nothing is disputed, and the one who opened it loses.
        assertLost(contest, Party.AUDITOR, "nothing is disputed");
        WorkerTrace truth = worker(honest).recorded().orElseThrow();
        int at = 5;
        Contest other = Contest.of(
                        none("forged"),
                        UNIT,
                        twisted(
                                truth.entries().get(at).planned().op(),
                                truth.entries().get(at).planned().name()),
                        forged(truth, at))
                .play();
        assertEquals(Move.Outcome.BOTH_LOSE, other.ruled());
    }

    private static org.bitwitness.replayer.EngineFactory twisted(String kind, String name) {
        return Contest.broken(kind, name);
    }

    /** A run without recorded traces, so that its trainer can claim any trace that ends in the committed gradient. */
    private Path none(String name) throws Exception {
        Path run = temp.resolve(name);
        TestTrainer.train(run, small().with(org.bitwitness.protocol.record.TracePolicy.NONE), Lie.NONE);
        return run;
    }

    /** A trace with a made-up output of one entry. */
    private static WorkerTrace forged(WorkerTrace truth, int at) {
        List<TraceEntry> entries = new ArrayList<>(truth.entries());
        TraceEntry entry = entries.get(at);
        List<Sha256> roots = new ArrayList<>(entry.outputRoots());
        roots.set(0, Hashing.sha256(new byte[] {1}));
        entries.set(at, new TraceEntry(entry.planned(), entry.workerPosition(), roots));
        return new WorkerTrace(entries);
    }

    private static void assertLost(Contest contest, Party loser, String why) {
        Status.Lost lost = assertInstanceOf(Status.Lost.class, contest.game().status());
        assertEquals(loser, lost.loser());
        assertTrue(lost.why().contains(why), lost.why());
    }

    @Test
    void aRecordThatContradictsItsOwnTraceLosesBeforeAnybodyAnswers() throws Exception {
        Path run = lying("record", new Lie() {
            @Override
            public StepRecord record(StepRecord honest) {
                List<WorkerRecord> workers = honest.workers().stream()
                        .map(w -> new WorkerRecord(
                                w.worker(),
                                w.microBatches(),
                                new GradientRoot(Hashing.sha256(new byte[] {2})),
                                w.lossSum(),
                                w.targetCount(),
                                w.traceRoot()))
                        .toList();
                return new StepRecord(
                        honest.runId(),
                        honest.step(),
                        honest.valid(),
                        honest.stateRootBefore(),
                        honest.stateRootAfter(),
                        honest.layout(),
                        honest.reduction(),
                        honest.averaging(),
                        honest.targetCount(),
                        honest.learningRate(),
                        workers,
                        honest.combinedRoot(),
                        honest.exactExponentsRoot(),
                        honest.norm(),
                        honest.clip(),
                        honest.loss(),
                        honest.detectorDigest());
            }
        });
        assertLost(Contest.of(run, UNIT, Contest.SOUND), Party.TRAINER, "its committed trace ends in gradient");
    }

    @Test
    void anAuditorThatAgreesLoses() throws Exception {
        assertLost(Contest.of(honest, UNIT, Contest.SOUND), Party.AUDITOR, "nothing is disputed");
    }

    @Test
    void aTrainerThatDefendsAnotherTraceThanItCommittedToLoses() throws Exception {
        WorkerTrace truth = worker(honest).recorded().orElseThrow();
        Contest contest = Contest.of(honest, UNIT, Contest.broken("linear", exactName("linear", "")), forged(truth, 3))
                .play();
        assertLost(contest, Party.TRAINER, "has committed to");
    }

    @Test
    void whoeverShowsHalvesOfAnotherTreeLoses() throws Exception {
        for (Party party : List.of(Party.AUDITOR, Party.TRAINER)) {
            Contest contest = brokenLinear().until(Need.HALVES);
            Move.Halves lie = new Move.Halves(Hashing.sha256(), Hashing.sha256());
            if (party == Party.TRAINER) {
                contest.say(Party.AUDITOR, contest.answer((Status.Waiting)
                        contest.game().status()));
            }
            contest.say(party, lie);
            assertLost(contest, party, "do not hash to the node");
        }
    }

    private static Contest brokenLinear() throws Exception {
        return Contest.of(honest, UNIT, Contest.broken("linear", exactName("linear", "")));
    }

    @Test
    void whoeverShowsAnotherEntryThanItsLeafLoses() throws Exception {
        for (Party party : List.of(Party.AUDITOR, Party.TRAINER)) {
            Contest contest = brokenLinear().until(Need.ENTRY);
            if (party == Party.TRAINER) {
                contest.say(Party.AUDITOR, contest.answer((Status.Waiting)
                        contest.game().status()));
            }
            contest.say(party, new Move.Entry(List.of(Hashing.sha256())));
            assertLost(contest, party, "are not those of the leaf");
        }
    }

    @Test
    void anAuditorWhoseInputsAreNotTheAgreedOnesLoses() throws Exception {
        Move.Inputs right = brokenLinear().until(Need.INPUTS).inputs();
        Sha256 other = Hashing.sha256(new byte[] {3});
        Move.OpenedTensor tensor = right.parameters().getFirst();
        Move.OpenedEntry entry = right.entries().getFirst();
        List<Sha256> lies = entry.outputs().stream().map(root -> other).toList();
        List<Move.Inputs> wrong = List.of(
                new Move.Inputs(other, right.scalars(), right.entries(), right.parameters()),
                new Move.Inputs(
                        right.stateTree(), right.scalars().after(true, 1, 9), right.entries(), right.parameters()),
                new Move.Inputs(right.stateTree(), right.scalars(), List.of(), right.parameters()),
                new Move.Inputs(right.stateTree(), right.scalars(), right.entries(), List.of()),
                new Move.Inputs(
                        right.stateTree(),
                        right.scalars(),
                        List.of(new Move.OpenedEntry(entry.index(), lies, entry.path())),
                        right.parameters()),
                new Move.Inputs(
                        right.stateTree(),
                        right.scalars(),
                        right.entries(),
                        List.of(
                                new Move.OpenedTensor(tensor.name(), other, tensor.path()),
                                right.parameters().getLast())));
        for (Move.Inputs inputs : wrong) {
            Contest contest = brokenLinear().until(Need.INPUTS);
            contest.say(Party.AUDITOR, inputs);
            Status.Lost lost =
                    assertInstanceOf(Status.Lost.class, contest.game().status());
            assertEquals(Party.AUDITOR, lost.loser());
        }
    }

    @Test
    void aMoveOutOfTurnCountsForNothing() throws Exception {
        Contest contest = brokenLinear();
        Move.Halves halves = new Move.Halves(Hashing.sha256(), Hashing.sha256());
        assertThrows(DisputeException.class, () -> contest.say(Party.AUDITOR, halves));
        assertThrows(DisputeException.class, () -> contest.say(Party.TRAINER, halves));
        assertThrows(DisputeException.class, () -> contest.say(Party.AUDITOR, new Move.Receipt(1, 61)));
        contest.until(Need.HALVES);
        assertThrows(DisputeException.class, () -> contest.say(Party.TRAINER, halves), "the auditor speaks first");
        contest.play();
        assertEquals(Move.Outcome.AUDITOR_LOSES, contest.ruled());
    }

    @Test
    void silenceLosesOnlyAfterTheDeadlineOfAReceipt() throws Exception {
        Contest contest = brokenLinear().until(Need.ENTRY);
        Move.Ruling early = forfeit(161, Move.Outcome.AUDITOR_LOSES);
        assertThrows(DisputeException.class, () -> contest.say(Party.REFEREE, early), "no receipt yet");
        assertThrows(DisputeException.class, () -> contest.say(Party.REFEREE, new Move.Receipt(100, 159)));
        contest.say(Party.REFEREE, new Move.Receipt(100, 160));
        assertThrows(
                DisputeException.class, () -> contest.say(Party.REFEREE, forfeit(160, Move.Outcome.AUDITOR_LOSES)));
        assertThrows(
                DisputeException.class, () -> contest.say(Party.REFEREE, forfeit(161, Move.Outcome.TRAINER_LOSES)));
        assertThrows(DisputeException.class, () -> contest.say(Party.REFEREE, new Move.Receipt(101, 161)));
        contest.say(Party.REFEREE, forfeit(161, Move.Outcome.AUDITOR_LOSES));
        assertInstanceOf(Status.Ruled.class, contest.game().status());
    }

    private static Move.Ruling forfeit(long at, Move.Outcome outcome) {
        return new Move.Ruling(at, outcome, Move.Ground.FORFEIT, List.of(), Optional.empty());
    }

    @Test
    void anAnswerStopsTheClock() throws Exception {
        Contest contest = brokenLinear();
        contest.say(Party.REFEREE, new Move.Receipt(100, 160));
        contest.until(Need.HALVES);
        assertThrows(
                DisputeException.class, () -> contest.say(Party.REFEREE, forfeit(999, Move.Outcome.AUDITOR_LOSES)));
    }

    @Test
    void aRulingThatDoesNotFollowFromItsComputedRootIsRefused() throws Exception {
        Contest contest = brokenLinear().play();
        OperatorCase operator = contest.game().operator().orElseThrow();
        for (Move.Outcome outcome : Move.Outcome.values()) {
            if (outcome != Move.Outcome.AUDITOR_LOSES) {
                assertThrows(
                        DisputeException.class,
                        () -> contest.say(
                                Party.REFEREE,
                                new Move.Ruling(
                                        1, outcome, Move.Ground.OPERATOR, List.of(), Optional.of(operator.trainer()))));
            }
        }
    }
}
