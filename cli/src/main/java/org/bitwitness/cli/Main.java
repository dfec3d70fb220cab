package org.bitwitness.cli;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.cli.support.FailureHandlers;
import org.bitwitness.cli.support.Failures;
import org.bitwitness.cli.support.ParentWatch;
import org.bitwitness.cli.support.ResultOutput;
import org.bitwitness.cli.support.StandardError;
import org.bitwitness.cli.support.Terminals;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** The entry point: everything that is not the launcher's. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        // Digits and decimal points are the same wherever this runs.
        Locale.setDefault(Locale.ROOT);
        StandardError.takeFromLauncher();
        ParentWatch.start();
        if (List.of(args).contains("--verbose")) {
            System.setProperty("bitwitness.log.level", "debug");
            System.setProperty("bitwitness.log.libraries", "info");
        }
        ResultOutput results = ResultOutput.standard();
        PrintWriter out = new PrintWriter(results, true, System.out.charset());
        PrintWriter err = new PrintWriter(System.err, true, System.err.charset());
        int code = run(out, err, args);
        out.flush();
        int settled = results.settle(code, err);
        err.flush();
        System.exit(settled);
    }

    /** Runs one command line in this process, as tests do, and returns the exit code. */
    public static int run(PrintWriter out, PrintWriter err, String... args) {
        try {
            CommandLine commandLine = root();
            Subcommands.addTo(commandLine, args);
            return settled(commandLine, out, err).execute(args);
        } catch (LinkageError | OutOfMemoryError e) {
            // picocli hands exceptions to the handler, but lets errors through.
            err.println("bitwitness: " + Failures.explain(e).message());
            return ExitCode.USAGE.code();
        }
    }

    /** The root with every command in full. */
    static CommandLine commandLine(PrintWriter out, PrintWriter err) {
        CommandLine commandLine = root();
        Subcommands.addTo(commandLine);
        return settled(commandLine, out, err);
    }

    private static CommandLine root() {
        return new CommandLine(new BitwitnessCommand());
    }

    /** Settings go down to the commands that are there already. */
    private static CommandLine settled(CommandLine commandLine, PrintWriter out, PrintWriter err) {
        FailureHandlers handlers = new FailureHandlers();
        HelpExamples.fold(commandLine);
        return commandLine
                .setOut(out)
                .setErr(err)
                .setColorScheme(CommandLine.Help.defaultColorScheme(Terminals.standardOutput() ? Ansi.ON : Ansi.OFF))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler(handlers)
                .setExecutionExceptionHandler(handlers);
    }
}
