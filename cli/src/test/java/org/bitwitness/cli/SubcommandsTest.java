package org.bitwitness.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class SubcommandsTest {
    @Test
    void theListOfCommandsIsTheSameWhetherTheyAreReadInFullOrNot() {
        PrintWriter nowhere = new PrintWriter(PrintWriter.nullWriter());
        String full = Main.commandLine(nowhere, nowhere).getUsageMessage(CommandLine.Help.Ansi.OFF);
        assertEquals(full, CommandLineRun.of("--help").out());
    }

    @ParameterizedTest
    @ValueSource(strings = {"run", "--verbose run", "run --help", "@file"})
    void aCommandThatIsNamedIsReadInFull(String words) {
        assertFalse(run(words).getSubcommands().isEmpty());
    }

    @Test
    void aCommandThatIsNotNamedIsNotRead() {
        assertEquals(0, run("key").getCommandSpec().options().size());
    }

    @Test
    void aMisspelledCommandIsAnsweredWithTheNearestOne() {
        CommandLineRun run = CommandLineRun.of("replya");
        assertEquals(1, run.exitCode());
        assertTrue(run.err().contains("did you mean: replay?"), run.err());
    }

    /** The command {@code run} of a command line. */
    private static CommandLine run(String words) {
        CommandLine root = new CommandLine(new BitwitnessCommand());
        Subcommands.addTo(root, words.split(" ", -1));
        return Objects.requireNonNull(root.getSubcommands().get("run"));
    }
}
