package org.bitwitness.cli.support;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PrintableTest {
    private static final String HOSTILE = "operator \u001b[2J\u202Eemit\nREPRODUCED\teverything";

    @Test
    void aResultNeitherSteersTheTerminalNorForgesALine() {
        StringWriter out = new StringWriter();
        CommandIo io = new CommandIo(new PrintWriter(out), new PrintWriter(new StringWriter()), false, false);
        io.publish(CommandResult.of(ExitCode.REFUSED, Map.of(), List.of("DIVERGED " + HOSTILE)));
        assertEquals(
                List.of("DIVERGED operator ?[2J?emit?REPRODUCED\teverything"),
                out.toString().lines().toList());
    }

    @Test
    void aNoteNeitherSteersTheTerminalNorForgesALine() {
        StringWriter err = new StringWriter();
        CommandIo io = new CommandIo(new PrintWriter(new StringWriter()), new PrintWriter(err), true, false);
        io.note(HOSTILE);
        assertEquals(
                List.of("operator ?[2J?emit?REPRODUCED\teverything"),
                err.toString().lines().toList());
    }

    @Test
    void markupOfOthersIsNotOurs() {
        assertEquals("@ |bold x|@", Printable.unmarked("@|bold x|@"));
    }
}
