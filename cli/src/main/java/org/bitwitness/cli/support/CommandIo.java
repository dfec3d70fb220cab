package org.bitwitness.cli.support;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/**
 * Where a command's words go. Results go to standard output once; progress goes to standard error. With
 * {@code --json}, talk goes to standard error as well, so that standard output holds exactly one document.
 */
public final class CommandIo {
    private final PrintWriter out;
    private final PrintWriter err;
    private final boolean json;
    private final boolean verbose;
    private boolean published;

    public CommandIo(PrintWriter out, PrintWriter err, boolean json, boolean verbose) {
        this.out = out;
        this.err = err;
        this.json = json;
        this.verbose = verbose;
    }

    static CommandIo of(CommandLine command, CommonOptions common) {
        return new CommandIo(command.getOut(), command.getErr(), common.json(), common.verbose());
    }

    public boolean json() {
        return json;
    }

    public boolean verbose() {
        return verbose;
    }

    /** One {@link Printable#line} of talk; picocli markup as in {@code @|bold text|@} is colour on a terminal only. */
    public void say(String line) {
        boolean toError = json;
        PrintWriter target = toError ? err : out;
        Ansi ansi = (toError ? Terminals.standardError() : Terminals.standardOutput()) ? Ansi.ON : Ansi.OFF;
        target.println(ansi.string(Printable.line(line)));
        target.flush();
    }

    /** One line on standard error, whatever the mode: warnings, hints. */
    public void note(String line) {
        err.println(Printable.line(line));
        err.flush();
    }

    /** What a child of ours said on standard error, as it said it, but for the JVM's warning about the Vector API. */
    void passOn(String text) {
        err.print(text.replace(JvmFlags.WARNING + System.lineSeparator(), ""));
        err.flush();
    }

    /**
     * A progress bar on standard error; close it.
     *
     * @param total how many units of work there are; 0 when nobody knows
     */
    public ProgressBar progress(String task, long total) {
        return ProgressBar.on(err, task, total);
    }

    /** Prints the result: once, early if the command goes on running (a server), else by the caller at the end. */
    public void publish(CommandResult result) {
        if (published) {
            return;
        }
        published = true;
        if (json) {
            out.println(JsonOutput.write(result.document()));
        } else {
            result.lines().forEach(this::say);
        }
        out.flush();
    }
}
