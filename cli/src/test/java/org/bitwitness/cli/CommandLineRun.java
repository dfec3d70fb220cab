package org.bitwitness.cli;

import java.io.PrintWriter;
import java.io.StringWriter;

/** A command line run in this process, with what it printed. */
public record CommandLineRun(int exitCode, String out, String err) {
    public static CommandLineRun of(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode = Main.run(new PrintWriter(out, true), new PrintWriter(err, true), arguments);
        return new CommandLineRun(exitCode, out.toString(), err.toString());
    }
}
