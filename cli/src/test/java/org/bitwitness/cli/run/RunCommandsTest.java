package org.bitwitness.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bitwitness.cli.Main;
import org.bitwitness.cli.run.check.CheckResult;
import org.bitwitness.cli.run.check.RunChecks;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunCommandsTest {
    @TempDir
    static Path home;

    private static TrainedRun run;

    private record Outcome(int exit, String out, String err) {}

    @BeforeAll
    static void train() throws Exception {
        run = TrainedRun.train(home);
    }

    @Test
    void verifyPassesAndShowsEveryCheck() {
        Outcome outcome = call(
                "run",
                "verify",
                run.folder().toString(),
                "--trust",
                run.trust().toString(),
                "--log",
                run.log().toString());
        assertEquals(0, outcome.exit(), outcome.out() + outcome.err());
        assertTrue(outcome.out().contains("✓ files"), outcome.out());
        assertTrue(outcome.out().contains("verified without replay"), outcome.out());
        assertFalse(outcome.out().contains("✗"), outcome.out());
    }

    @Test
    void verifySaysWithoutTrustThatTheLogWasNotChecked() {
        Outcome outcome = call("run", "verify", run.folder().toString());
        assertEquals(0, outcome.exit(), outcome.out() + outcome.err());
        assertTrue(outcome.out().contains("- log"), outcome.out());
        assertTrue(outcome.out().contains("no --trust folder"), outcome.out());
    }

    @Test
    void verifyExitsWith2AndNamesFileFieldExpectedAndFound() throws Exception {
        Path copy = run.copyTo(home.resolve("damaged"));
        Path file = copy.resolve("states/000000000002/scalars.json");
        Files.writeString(file, Files.readString(file).replace("\"epoch\":", "\"epoche\":"));
        Outcome outcome = call("run", "verify", copy.toString());
        assertEquals(2, outcome.exit(), outcome.out() + outcome.err());
        assertTrue(
                outcome.out().contains("states/000000000002/scalars.json: the key \"epoch\" is missing"),
                outcome.out());
        for (String line : outcome.out().lines().filter(l -> l.startsWith("✗")).toList()) {
            assertTrue(line.matches("✗ [a-z ]+ FAILED with [0-9]+ differences?, .*"), line);
        }
        assertTrue(outcome.out().contains(", expected: 25 files listed once"), outcome.out());
        Outcome json = call("run", "verify", copy.toString(), "--json");
        assertEquals(2, json.exit());
        for (String word : List.of("\"verified\" : false", "\"file\"", "\"field\"", "\"expected\"", "\"found\"")) {
            assertTrue(json.out().contains(word), json.out());
        }
    }

    /** A file with holes can be longer than any disk, so nobody waits until it is hashed. */
    @Test
    void verifyDoesNotReadAFileThatIsLongerThanWhatIsCommitted() throws Exception {
        Path copy = run.copyTo(home.resolve("too long"));
        String name = "states/000000000002/model.safetensors";
        Files.write(copy.resolve(name), new byte[1], StandardOpenOption.APPEND);
        Outcome outcome = call("run", "verify", copy.toString());
        assertEquals(2, outcome.exit(), outcome.out() + outcome.err());
        assertTrue(outcome.out().contains(name + ": size in bytes should be"), outcome.out());
        assertFalse(outcome.out().contains(name + ": SHA-256"), outcome.out());
    }

    @Test
    void datasetShowNamesTheDocumentsAndOffsetsThatAWorkerRead() throws Exception {
        Outcome shown = call("dataset", "show", run.folder().toString(), "--step", "1", "--worker", "1");
        assertEquals(0, shown.exit(), shown.err());
        List<String> lines = shown.out().lines().toList();
        assertTrue(
                lines.getFirst().matches("micro-batch 0, sample \\d+: shard-0000\\d, tokens \\d+ to \\d+"),
                shown.out());
        assertTrue(lines.get(1).matches("  doc-\\d.txt, tokens \\d+ to \\d+"), shown.out());
        assertTrue(shown.out().contains("micro-batch 1, sample "), shown.out());
        assertEquals(
                1,
                call("dataset", "show", run.folder().toString(), "--step", "1", "--worker", "2")
                        .exit());
        assertEquals(
                1,
                call("dataset", "show", run.folder().toString(), "--step", "1").exit());
        assertEquals(
                1,
                call("dataset", "show", run.folder().toString(), "--step", "4", "--worker", "0")
                        .exit());
    }

    @Test
    void verifyOfAModelSendsARecordingToTheCommandThatChecksIt() {
        Outcome outcome =
                call("verify", run.folder().toString(), "--trust", run.trust().toString());
        assertEquals(1, outcome.exit(), outcome.out() + outcome.err());
        assertTrue(outcome.err().contains("bitwitness run verify " + run.folder()), outcome.err());
    }

    @Test
    void aBrokenTrustFolderOfOnesOwnJudgesNothing() throws Exception {
        Path broken = Files.createDirectories(home.resolve("broken-trust"));
        Files.writeString(broken.resolve("policy.txt"), "nonsense\n");
        for (List<String> command : List.of(
                List.of("run", "verify", run.folder().toString(), "--trust", broken.toString()),
                List.of("verify", run.folder().toString(), "--trust", broken.toString()),
                List.of("audit", "report", "--log", run.log().toString(), "--trust", broken.toString()),
                List.of("serve", "--log", run.log().toString(), "--trust", broken.toString(), "--port", "0"))) {
            Outcome outcome = call(command.toArray(String[]::new));
            assertEquals(1, outcome.exit(), command + ": " + outcome.err());
            assertTrue(outcome.err().contains("policy.txt"), outcome.err());
        }
    }

    /** Reading a log takes long: the address is looked at before it, and the log of this test is not even there. */
    @Test
    void serveSaysThatItCannotListenBeforeItReadsTheLog() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Path empty = Files.createDirectories(home.resolve("no-log"));
            Outcome busy = serve(empty, String.valueOf(taken.getLocalPort()));
            assertEquals(1, busy.exit());
            assertTrue(busy.err().contains("cannot listen on 127.0.0.1 port " + taken.getLocalPort()), busy.err());
            Outcome impossible = serve(empty, "99999");
            assertEquals(1, impossible.exit());
            assertTrue(impossible.err().contains("--port is 0 to 65535, got 99999"), impossible.err());
            Outcome free = serve(empty, "0");
            assertEquals(1, free.exit());
            assertTrue(free.err().contains("no checkpoint"), free.err());
        }
    }

    private static Outcome serve(Path log, String port) {
        return call("serve", "--log", log.toString(), "--trust", run.trust().toString(), "--port", port);
    }

    @Test
    void verifyNamesTheChecksThatItCouldNotMake() throws Exception {
        Path copy = run.copyTo(home.resolve("unopened"));
        Files.writeString(copy.resolve("descriptor.json"), "{}");
        Outcome outcome = call("run", "verify", copy.toString());
        assertEquals(2, outcome.exit(), outcome.out() + outcome.err());
        for (String check : List.of("files", "step records", "traces", "states")) {
            assertTrue(outcome.out().contains("- %-15s not made".formatted(check)), outcome.out());
        }
        assertTrue(outcome.out().contains("nothing else could be checked"), outcome.out());
    }

    @Test
    void verifyTellsTheResultOfACheckBeforeTheNextOneStarts() throws Exception {
        List<String> told = new ArrayList<>();
        RunChecks.Listener listener = new RunChecks.Listener() {
            @Override
            public void started(String name) {
                told.add("starts " + name);
            }

            @Override
            public void finished(CheckResult result) {
                told.add("ends " + result.name());
            }
        };
        new RunChecks(Optional.empty(), Optional.empty(), listener).run(run.folder());
        int files = told.indexOf("starts files");
        assertEquals(List.of("starts files", "ends files", "starts commitments"), told.subList(files, files + 3));
    }

    @Test
    void everyCommandSaysInOneLineThatAFolderIsNotARecording() throws Exception {
        Path empty = Files.createDirectories(home.resolve("empty"));
        for (List<String> command : List.of(
                List.of("run", "verify", empty.toString()),
                List.of("run", "show", empty.toString()),
                List.of(
                        "run",
                        "export",
                        empty.toString(),
                        "--out",
                        home.resolve("x").toString()))) {
            Outcome outcome = call(command.toArray(String[]::new));
            assertEquals(1, outcome.exit(), outcome.err());
            assertTrue(outcome.err().contains("is not a recording"), outcome.err());
            assertFalse(outcome.err().contains("\tat "), outcome.err());
        }
        assertEquals(
                1, call("run", "verify", home.resolve("nowhere").toString()).exit());
    }

    @Test
    void aLogWithoutTrustIsAUsageError() {
        Outcome outcome = call(
                "run", "verify", run.folder().toString(), "--log", run.log().toString());
        assertEquals(1, outcome.exit());
        assertTrue(outcome.err().contains("--log needs --trust"), outcome.err());
    }

    @Test
    void showTellsTheRunWithItsLossCurve() {
        Outcome outcome = call("run", "show", run.folder().toString());
        assertEquals(0, outcome.exit(), outcome.err());
        assertTrue(outcome.out().contains("steps        4 of 4, finished"), outcome.out());
        assertTrue(outcome.out().contains("loss         "), outcome.out());
        assertTrue(outcome.out().contains("OPEN"), outcome.out());
        assertTrue(outcome.out().contains("state root   "), outcome.out());
    }

    @Test
    void exportWritesOneLineForEachStepAndNeverOverAFile() throws Exception {
        Path lines = home.resolve("steps.jsonl");
        assertEquals(
                0,
                call("run", "export", run.folder().toString(), "--out", lines.toString())
                        .exit());
        assertEquals(4, Files.readAllLines(lines).size());
        assertTrue(Files.readAllLines(lines).get(2).startsWith("{\"step\":2,"), Files.readString(lines));
        Path table = home.resolve("steps.csv");
        assertEquals(
                0,
                call("run", "export", run.folder().toString(), "--format", "csv", "--out", table.toString())
                        .exit());
        assertEquals(5, Files.readAllLines(table).size());
        Outcome again = call("run", "export", run.folder().toString(), "--out", lines.toString());
        assertEquals(1, again.exit());
        assertTrue(again.err().contains("exists already"), again.err());
    }

    @Test
    void drawsALossCurveOfAnyLength() {
        assertEquals("█▁", Sparkline.of(List.of(2f, 1f)));
        assertEquals("▁", Sparkline.of(List.of(5f)));
        assertEquals("", Sparkline.of(List.of()));
        assertEquals("▁x█", Sparkline.of(List.of(1f, Float.NaN, 2f)));
        assertEquals(60, Sparkline.of(java.util.Collections.nCopies(1000, 1f)).length());
    }

    private static Outcome call(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exit = Main.run(new PrintWriter(out), new PrintWriter(err), arguments);
        return new Outcome(exit, out.toString(), err.toString());
    }
}
