package org.bitwitness.cli.dispute;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.bitwitness.cli.CommandLineRun;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.replayer.Lie;
import org.bitwitness.replayer.dispute.FaultyBackend;
import org.bitwitness.replayer.dispute.Move;
import org.bitwitness.replayer.dispute.Party;
import org.bitwitness.replayer.dispute.Status;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Disputes between people with keys, through the commands and the folder that they leave. */
class DisputeCommandsTest {
    private static final String LIAR = "liar";
    private static final String DONE = "done";

    @TempDir
    private static Path temp;

    private static DisputeStage stage;

    /** A lying trainer's run, and a dispute over it that is over. */
    @BeforeAll
    static void play() throws Exception {
        stage = DisputeStage.create(temp);
        stage.train("run", Lie.NONE, true);
        stage.train(LIAR, FaultyBackend.lie("linear", "transformer.h.0.attn.c_attn"), true);
        assertEquals(0, stage.open(LIAR, DONE).exitCode());
        stage.play(LIAR, DONE, game -> false);
        assertEquals(0, stage.referee(DONE).exitCode());
    }

    @Test
    void aLyingTrainerLosesAndAnybodyCanVerifyIt() throws Exception {
        CommandLineRun verified = stage.verify(DONE);
        assertEquals(0, verified.exitCode(), verified.err());
        JsonNode document = DisputeStage.json(verified);
        assertEquals("TRAINER_LOSES", document.get("verifiedOutcome").asText());
        assertEquals("OPERATOR", document.get("ground").asText());
        assertEquals(
                "transformer.h.0.attn.c_attn",
                document.get("operator").get("name").asText());
        int levels = 32 - Integer.numberOfLeadingZeros(document.get("entries").asInt() - 1);
        assertTrue(document.get("messages").asInt() <= 6 + 2 * levels, document.toString());
        assertEquals(
                0, stage.verify(DONE, "--run", temp.resolve(LIAR).toString()).exitCode());
    }

    @Test
    void theFolderHoldsDataOfOneOperatorOnly() throws Exception {
        JsonNode document = DisputeStage.json(stage.verify(DONE));
        try (Stream<Path> data = Files.list(temp.resolve(DONE).resolve("data"))) {
            assertEquals(document.get("operator").get("inputs").asLong(), data.count());
        }
    }

    @Test
    void showsEveryMessageAndWhoseTurnItIs() throws Exception {
        assertEquals(0, stage.open(LIAR, "shown").exitCode());
        CommandLineRun shown =
                CommandLineRun.of("dispute", "show", temp.resolve("shown").toString());
        assertEquals(0, shown.exitCode(), shown.err());
        assertTrue(shown.out().contains("opens over GRADIENT(0,1)"), shown.out());
        assertTrue(shown.out().contains("it is the trainer's turn, with its own trace root"), shown.out());
    }

    @Test
    void whereNothingIsDisputedNoneIsOpened() {
        CommandLineRun run = stage.open("run", "none");
        assertEquals(1, run.exitCode());
        assertTrue(run.err().contains("nothing is disputed"), run.err());
        CommandLineRun update = CommandLineRun.of(
                "dispute",
                "open",
                temp.resolve("run").toString(),
                "--unit",
                "UPDATE(0)",
                "--key",
                stage.key(Party.AUDITOR),
                "--referee",
                stage.publicKey(Party.REFEREE),
                "--out",
                temp.resolve("update").toString());
        assertEquals(1, update.exitCode());
        assertTrue(update.err().contains("over one worker's gradient"), update.err());
    }

    @Test
    void nobodyAnswersForAnotherOrTwice() throws Exception {
        assertEquals(0, stage.open(LIAR, "turns").exitCode());
        assertEquals(3, stage.answer(LIAR, "turns", Party.AUDITOR).exitCode());
        assertEquals(1, stage.answer(LIAR, "turns", Party.REFEREE).exitCode());
        assertEquals(0, stage.answer(LIAR, "turns", Party.TRAINER).exitCode());
        assertEquals(3, stage.answer(LIAR, "turns", Party.TRAINER).exitCode());
        // Another run than the one in dispute answers nothing.
        CommandLineRun other = stage.answer("run", "turns", Party.AUDITOR);
        assertEquals(1, other.exitCode());
        assertTrue(other.err().contains("should have commitment"), other.err());
    }

    @Test
    void everyChangedByteOfEveryMessageIsNoticed() throws Exception {
        long seed = 20261130L;
        System.err.println("seed " + seed);
        Random random = new Random(seed);
        int messages = stage.transcript(DONE).messages().size();
        Path copy = stage.copy(DONE, "changed");
        for (int m = 0; m < messages; m++) {
            Path file = copy.resolve(DisputeFolder.name(m));
            byte[] bytes = Files.readAllBytes(file);
            for (int bit = 0; bit < 8; bit++) {
                byte[] changed = bytes.clone();
                changed[random.nextInt(bytes.length)] ^= (byte) (1 << bit);
                Files.write(file, changed);
                CommandLineRun verified = stage.verify("changed");
                assertEquals(2, verified.exitCode(), "message " + m + ", bit " + bit + verified.out());
            }
            Files.write(file, bytes);
        }
        assertEquals(0, stage.verify("changed").exitCode());
    }

    @Test
    void aMessageLeftOutDoubledOrSwappedIsNoticed() throws Exception {
        Path first = stage.copy(DONE, "left-out");
        Files.delete(first.resolve(DisputeFolder.name(4)));
        assertEquals(2, stage.verify("left-out").exitCode());
        Path second = stage.copy(DONE, "doubled");
        int messages = stage.transcript(DONE).messages().size();
        Files.copy(second.resolve(DisputeFolder.name(messages - 1)), second.resolve(DisputeFolder.name(messages)));
        assertEquals(2, stage.verify("doubled").exitCode());
        Path third = stage.copy(DONE, "swapped");
        Path three = third.resolve(DisputeFolder.name(3));
        Path five = third.resolve(DisputeFolder.name(5));
        byte[] kept = Files.readAllBytes(three);
        Files.write(three, Files.readAllBytes(five));
        Files.write(five, kept);
        assertEquals(2, stage.verify("swapped").exitCode());
        Path fourth = stage.copy(DONE, "stray");
        Files.writeString(fourth.resolve("messages/note.txt"), "hello");
        assertEquals(2, stage.verify("stray").exitCode());
        Path fifth = stage.copy(DONE, "large");
        Files.write(fifth.resolve(DisputeFolder.name(2)), new byte[3 << 20]);
        CommandLineRun large = stage.verify("large");
        assertEquals(2, large.exitCode());
        assertTrue(large.out().contains("at most"), large.out() + large.err());
    }

    @Test
    void anAnswerFromAnotherDisputeDoesNotCount() throws Exception {
        assertEquals(0, stage.open(LIAR, "first", "--answer-within", "60").exitCode());
        assertEquals(0, stage.open(LIAR, "second", "--answer-within", "61").exitCode());
        assertEquals(0, stage.answer(LIAR, "first", Party.TRAINER).exitCode());
        Path answer = temp.resolve("first").resolve(DisputeFolder.name(1));
        Files.copy(answer, temp.resolve("second").resolve(DisputeFolder.name(1)));
        CommandLineRun verified = stage.verify("second");
        assertEquals(2, verified.exitCode());
        assertTrue(verified.out().contains("should be message 1 after"), verified.out());
    }

    @Test
    void anEnvelopeHasOneSpelling() throws Exception {
        Path copy = stage.copy(DONE, "spelling");
        Path file = copy.resolve(DisputeFolder.name(2));
        Files.writeString(file, Files.readString(file) + "\n");
        CommandLineRun verified = stage.verify("spelling");
        assertEquals(2, verified.exitCode());
        assertTrue(verified.out().contains("not the one spelling"), verified.out());
    }

    @Test
    void everyPieceOfThePremiseIsBound() throws Exception {
        Path copy = stage.copy(DONE, "premise");
        try (Stream<Path> files = Files.list(copy.resolve("premise"))) {
            for (Path file : files.toList()) {
                byte[] bytes = Files.readAllBytes(file);
                byte[] changed = bytes.clone();
                changed[bytes.length / 2] ^= 4;
                Files.write(file, changed);
                assertEquals(2, stage.verify("premise").exitCode(), file.toString());
                Files.write(file, bytes);
            }
        }
        assertEquals(0, stage.verify("premise").exitCode());
        assertEquals(2, stage.verify("premise", "--commitment", "00".repeat(32)).exitCode());
    }

    @Test
    void withoutTheDataOnlyTheRefereesWordIsLeft() throws Exception {
        Path copy = stage.copy(DONE, "no-data");
        try (Stream<Path> files = Files.list(copy.resolve("data"))) {
            Path file = files.findFirst().orElseThrow();
            byte[] bytes = Files.readAllBytes(file);
            bytes[0] ^= 1;
            Files.write(file, bytes);
            assertEquals(3, stage.verify("no-data").exitCode());
            Files.delete(file);
            assertEquals(3, stage.verify("no-data").exitCode());
        }
    }

    @Test
    void aFalseRulingIsCalledFalse() throws Exception {
        assertEquals(0, stage.open(LIAR, "false").exitCode());
        stage.play(LIAR, "false", game -> false);
        Transcript transcript = stage.transcript("false");
        transcript.append(
                stage.signingKey(Party.REFEREE),
                new Move.Ruling(
                        1,
                        Move.Outcome.AUDITOR_LOSES,
                        Move.Ground.OPERATOR,
                        List.of("reference"),
                        Optional.of(transcript.game().operator().orElseThrow().trainer())));
        CommandLineRun verified = stage.verify("false");
        assertEquals(2, verified.exitCode());
        assertTrue(verified.out().contains("the ruling is false"), verified.out());
    }

    @Test
    void aSignedContradictionLosesAndIsProvenByItsSignature() throws Exception {
        assertEquals(0, stage.open(LIAR, "contradiction").exitCode());
        assertEquals(0, stage.answer(LIAR, "contradiction", Party.TRAINER).exitCode());
        stage.transcript("contradiction")
                .append(stage.signingKey(Party.AUDITOR), new Move.Halves(Hashing.sha256(), Hashing.sha256()));
        JsonNode before = DisputeStage.json(stage.verify("contradiction"));
        assertEquals("AUDITOR_LOSES", before.get("verifiedOutcome").asText());
        assertEquals(0, stage.referee("contradiction").exitCode());
        JsonNode after = DisputeStage.json(stage.verify("contradiction"));
        assertEquals("CONTRADICTION", after.get("ground").asText());
        assertEquals(3, stage.answer(LIAR, "contradiction", Party.TRAINER).exitCode(), "it is over");
    }

    @Test
    void silenceIsAForfeitByTheRefereesClockAndCountsForThoseWhoTrustIt() throws Exception {
        assertEquals(0, stage.open(LIAR, "silence", "--answer-within", "60").exitCode());
        Instant start = Instant.parse("2026-11-30T12:00:00Z");
        assertEquals(3, stage.refereeAt("silence", start));
        assertEquals(3, stage.refereeAt("silence", start.plusSeconds(60)));
        assertEquals(3, stage.verify("silence").exitCode());
        assertEquals(0, stage.refereeAt("silence", start.plusSeconds(61)));
        assertEquals(3, stage.verify("silence").exitCode(), "nobody has said that they trust this clock");
        CommandLineRun verified = stage.verify("silence", "--referee", stage.publicKey(Party.REFEREE));
        assertEquals(0, verified.exitCode(), verified.out());
        assertEquals("FORFEIT", DisputeStage.json(verified).get("ground").asText());
        assertEquals(
                "TRAINER_LOSES",
                DisputeStage.json(verified).get("verifiedOutcome").asText());
    }

    @Test
    void anAuditorThatOwesDataForfeits() throws Exception {
        assertEquals(0, stage.open(LIAR, "owes", "--answer-within", "60").exitCode());
        stage.play(LIAR, "owes", game -> false);
        try (Stream<Path> files = Files.list(temp.resolve("owes/data"))) {
            Files.delete(files.findFirst().orElseThrow());
        }
        Instant start = Instant.parse("2026-11-30T12:00:00Z");
        assertEquals(3, stage.refereeAt("owes", start));
        assertEquals(0, stage.refereeAt("owes", start.plusSeconds(61)));
        assertEquals(
                "AUDITOR_LOSES",
                DisputeStage.json(stage.verify("owes", "--referee", stage.publicKey(Party.REFEREE)))
                        .get("verifiedOutcome")
                        .asText());
    }

    /** Without its signature anywhere, a commitment could be anybody's invention. */
    @Test
    void aTrainerWhoNeverSignedAnythingLosesOnlyByACommitmentThatTheVerifierNames() throws Exception {
        stage.train("unsigned", FaultyBackend.lie("linear", "transformer.h.0.attn.c_attn"), false);
        assertEquals(
                0, stage.open("unsigned", "unbound", "--answer-within", "60").exitCode());
        Instant start = Instant.parse("2026-11-30T12:00:00Z");
        stage.refereeAt("unbound", start);
        assertEquals(0, stage.refereeAt("unbound", start.plusSeconds(61)));
        String referee = stage.publicKey(Party.REFEREE);
        assertEquals(3, stage.verify("unbound", "--referee", referee).exitCode());
        String run = temp.resolve("unsigned").toString();
        assertEquals(
                0, stage.verify("unbound", "--referee", referee, "--run", run).exitCode());
        assertEquals(
                1,
                stage.verify("unbound", "--run", temp.resolve("run").toString()).exitCode());
    }

    @Test
    void refereeAndSidesNeedThreeKeys() {
        for (Party party : List.of(Party.AUDITOR, Party.TRAINER)) {
            CommandLineRun run = CommandLineRun.of(
                    "dispute",
                    "open",
                    temp.resolve(LIAR).toString(),
                    "--unit",
                    DisputeStage.UNIT,
                    "--key",
                    stage.key(Party.AUDITOR),
                    "--referee",
                    stage.publicKey(party),
                    "--out",
                    temp.resolve("two-keys").toString());
            assertEquals(1, run.exitCode(), run.out());
            assertTrue(run.err().contains("three different keys"), run.err());
        }
        assertTrue(Files.notExists(temp.resolve("two-keys")));
    }

    @Test
    void aDisputeThatIsNotDecidedIsNoPass() throws Exception {
        assertEquals(0, stage.open(LIAR, "undecided").exitCode());
        assertEquals(3, stage.verify("undecided").exitCode());
        stage.play(
                LIAR, "undecided", game -> game.status() instanceof Status.Waiting w && w.need() == Status.Need.ENTRY);
        assertEquals(3, stage.verify("undecided").exitCode());
    }
}
