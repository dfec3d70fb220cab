package org.bitwitness.cli.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bitwitness.cli.CommandLineRun;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.protocol.format.RecordingReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo's promises that need no demo: the hash to expect, its folder, its sizes. The whole of it runs in CI. */
final class DemoTest {
    private static final Pattern ROOT = Pattern.compile("final state root ([0-9a-f]{64})");

    @TempDir
    private Path temp;

    @Test
    void trainingTheDemosModelEndsInTheStateRootThatTheReadmePrints() throws Exception {
        Path data = temp.resolve("data");
        assertEquals(
                0,
                CommandLineRun.of("dataset", "build", "--demo", "--out", data.toString())
                        .exitCode());
        Path config = temp.resolve("run.json");
        Files.writeString(
                config, DemoSize.of(60, 4, 12).honestConfig(data.toString()).toText());
        Path run = temp.resolve("run");

        // Four workers in one process and one thread: a layout of processes that the demo never has, the same bits.
        CommandLineRun trained =
                CommandLineRun.of("train", "--config", config.toString(), "--out", run.toString(), "--in-process");

        assertEquals(0, trained.exitCode(), trained.err());
        assertEquals(
                rootInReadme(),
                RecordingReader.open(run).last().stateRoot().hex(),
                "the README promises this root on every machine");
    }

    @Test
    void anExistingFolderIsKeptUnlessForcedAndOnlyADemosFolderIsEverDeleted() throws Exception {
        Path precious = Files.createDirectories(temp.resolve("precious"));
        Files.writeString(precious.resolve("thesis.txt"), "years of work");
        CommandFailure keeps = assertThrows(CommandFailure.class, () -> DemoFolder.create(precious, false));
        assertTrue(keeps.text().contains("not even --force replaces it"), keeps.text());
        assertThrows(CommandFailure.class, () -> DemoFolder.create(precious, true));
        assertTrue(Files.exists(precious.resolve("thesis.txt")));

        Path demo = temp.resolve("demo");
        DemoFolder.create(demo, false);
        Files.writeString(demo.resolve("old.txt"), "from last time");
        CommandFailure older = assertThrows(CommandFailure.class, () -> DemoFolder.create(demo, false));
        assertTrue(older.text().contains("or replace it with --force"), older.text());
        DemoFolder.create(demo, true);
        assertFalse(Files.exists(demo.resolve("old.txt")));
    }

    @Test
    void aLinkToADemosFolderIsNotFollowedWhenDeleting() throws Exception {
        DemoFolder.create(temp.resolve("demo"), false);
        Path link = Files.createSymbolicLink(temp.resolve("link"), temp.resolve("demo"));
        assertThrows(CommandFailure.class, () -> DemoFolder.create(link, true));
        assertTrue(Files.exists(temp.resolve("demo/.bitwitness-demo")));
    }

    @Test
    void sizesThatCannotWorkAreRefusedBeforeAnythingStarts() {
        for (int[] bad : new int[][] {{0, 4, 12}, {60, 0, 12}, {60, 4, 2}, {4, 4, 100}}) {
            CommandFailure failure = assertThrows(CommandFailure.class, () -> DemoSize.of(bad[0], bad[1], bad[2]));
            assertEquals(ExitCode.USAGE, failure.exitCode());
        }
    }

    private static String rootInReadme() throws IOException {
        Path readme = Path.of(System.getProperty("bitwitness.home", "..")).resolve("README.md");
        Matcher matcher = ROOT.matcher(Files.readString(readme));
        assertTrue(matcher.find(), readme + " should print the final state root of the demo");
        return matcher.group(1);
    }
}
