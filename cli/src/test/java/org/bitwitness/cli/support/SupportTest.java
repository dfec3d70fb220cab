package org.bitwitness.cli.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SupportTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private record Document(
            String unit, Optional<String> grade, Optional<String> absent, OptionalLong index, Instant at) {}

    @Test
    void theWorstCodeOfSeveralUnitsWins() {
        assertEquals(ExitCode.REFUSED, ExitCode.worstOf(List.of(ExitCode.OK, ExitCode.USAGE, ExitCode.REFUSED)));
        assertEquals(ExitCode.USAGE, ExitCode.worstOf(List.of(ExitCode.INCONCLUSIVE, ExitCode.USAGE, ExitCode.OK)));
        assertEquals(ExitCode.INCONCLUSIVE, ExitCode.worstOf(List.of(ExitCode.OK, ExitCode.INCONCLUSIVE)));
        assertEquals(ExitCode.OK, ExitCode.worstOf(List.of(ExitCode.OK)));
    }

    @Test
    void aNewKeyWithoutAPassphraseIsNotCalledEncrypted() {
        CommandFailure failure =
                assertThrows(CommandFailure.class, () -> Passphrases.choose(Path.of("keys/enc"), Optional.empty()));
        assertEquals(ExitCode.USAGE, failure.exitCode());
        assertTrue(
                failure.text().startsWith("no passphrase to protect the new key " + Path.of("keys/enc")),
                failure.text());
    }

    @Test
    void nothingJudgedIsNotAPass() {
        assertEquals(ExitCode.INCONCLUSIVE, ExitCode.worstOf(List.of()));
    }

    @Test
    void jsonModePrintsOneDocumentOnStandardOutputAndTalksOnStandardError() throws Exception {
        CommandIo io = io(true);
        io.say("@|bold step 1|@");
        io.publish(CommandResult.ok(
                new Document("STEP(17)", Optional.of("PROVEN"), Optional.empty(), OptionalLong.of(3), Instant.EPOCH),
                "human line"));
        io.publish(CommandResult.ok("published twice"));
        JsonNode document = new ObjectMapper().readTree(out.toString());
        assertEquals("PROVEN", document.get("grade").asText());
        assertTrue(document.get("absent").isNull());
        assertEquals(3, document.get("index").asLong());
        assertEquals("1970-01-01T00:00:00Z", document.get("at").asText());
        assertEquals("step 1" + System.lineSeparator(), err.toString());
    }

    @Test
    void withoutJsonThePersonsLinesAreTheResultWithoutMarkup() {
        CommandIo io = io(false);
        io.publish(CommandResult.ok("document", "first @|green line|@", "second"));
        assertEquals(List.of("first line", "second"), out.toString().lines().toList());
        assertEquals("", err.toString());
    }

    @Test
    void theNearestWordsComeFirst() {
        List<String> known = List.of("learningRate", "layers", "heads", "vocab");
        assertEquals(List.of("layers"), Nearest.to("layer", known));
        assertEquals(List.of("heads"), Nearest.to("haeds", known));
        assertEquals(List.of(), Nearest.to("zzzzzz", known));
    }

    @Test
    void aProgressBarRedrawsOneLineOnATerminal() {
        AtomicLong nanos = new AtomicLong();
        try (ProgressBar bar = new ProgressBar(new PrintWriter(err), true, "train", 60, nanos::get)) {
            nanos.addAndGet(Duration.ofSeconds(2).toNanos());
            bar.update(30, "loss 2.5");
            bar.update(31, "too soon to draw");
        }
        assertEquals("\r\u001b[2Ktrain [############............] 30/60 2 s  loss 2.5\r\u001b[2K", err.toString());
    }

    @Test
    void aProgressBarOfEqualPartsTellsTheTimeLeft() {
        AtomicLong nanos = new AtomicLong();
        try (ProgressBar bar = new ProgressBar(new PrintWriter(err), false, "replay STEP(3)", 0, nanos::get)) {
            nanos.addAndGet(Duration.ofSeconds(20).toNanos());
            bar.update(2, 8, "step 3, worker 1, emit");
        }
        assertEquals(
                "replay STEP(3) [######..................] 2/8 20 s, about 60 s left  step 3, worker 1, emit",
                err.toString().strip());
    }

    @Test
    void progressInALogIsARarePlainLine() {
        AtomicLong nanos = new AtomicLong();
        try (ProgressBar bar = new ProgressBar(new PrintWriter(err), false, "train", 60, nanos::get)) {
            for (int step = 1; step <= 60; step++) {
                nanos.addAndGet(Duration.ofMillis(500).toNanos());
                bar.update(step, "");
            }
        }
        assertEquals(3, err.toString().lines().count(), err.toString());
        assertTrue(err.toString().startsWith("train [########................] 20/60 10 s"), err.toString());
    }

    private CommandIo io(boolean json) {
        return new CommandIo(new PrintWriter(out, true), new PrintWriter(err, true), json, false);
    }
}
