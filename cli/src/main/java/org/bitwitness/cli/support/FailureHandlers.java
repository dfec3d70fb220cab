package org.bitwitness.cli.support;

import java.io.PrintWriter;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** What is printed when a command cannot be parsed or cannot be carried out. */
public final class FailureHandlers implements IParameterExceptionHandler, IExecutionExceptionHandler {

    /** Wrong usage: what was wrong, the nearest right word, and where the help is. Exit 1. */
    @Override
    public int handleParseException(ParameterException thrown, String[] args) {
        CommandLine command = thrown.getCommandLine();
        ParameterException e = thrown instanceof MissingParameterException ? misspelt(args, command, thrown) : thrown;
        StringBuilder message = new StringBuilder(Objects.requireNonNullElse(e.getMessage(), "wrong usage"));
        if (e instanceof UnmatchedArgumentException unmatched) {
            List<String> near = Nearest.to(unmatched, command);
            if (!near.isEmpty()) {
                message.append("; did you mean: ")
                        .append(String.join(" or ", near))
                        .append('?');
            }
        }
        message.append("\nSee '")
                .append(command.getCommandSpec().qualifiedName())
                .append(" --help'.");
        boolean json = List.of(args).contains("--json");
        report(command, json, new Failures.Explained(ExitCode.USAGE, message.toString()));
        return ExitCode.USAGE.code();
    }

    /** Who misspells a required option is told about the word that stands there, not about the one that is missing. */
    private static ParameterException misspelt(String[] args, CommandLine command, ParameterException missing) {
        List<String> unknown = Arrays.stream(args)
                .map(word -> word.split("=", 2)[0])
                .filter(word -> word.startsWith("--") && word.length() > 2)
                .filter(word -> command.getCommandSpec().findOption(word) == null)
                .toList();
        return unknown.isEmpty() ? missing : new UnmatchedArgumentException(command, unknown);
    }

    @Override
    public int handleExecutionException(Exception e, CommandLine command, ParseResult parsed) {
        Object user = command.getCommandSpec().userObject();
        boolean json =
                user instanceof HasCommonOptions has && has.commonOptions().json();
        boolean verbose =
                user instanceof HasCommonOptions has && has.commonOptions().verbose();
        Failures.Explained explained = Failures.explain(e);
        if (verbose) {
            e.printStackTrace(command.getErr());
        }
        report(command, json, explained);
        return explained.exitCode().code();
    }

    private static void report(CommandLine command, boolean json, Failures.Explained explained) {
        PrintWriter err = command.getErr();
        Ansi ansi = Terminals.standardError() ? Ansi.ON : Ansi.OFF;
        err.println(ansi.string("@|bold,red bitwitness:|@ ") + Printable.text(explained.message()));
        err.flush();
        if (json) {
            Map<String, Object> document = new LinkedHashMap<>();
            document.put("error", explained.message());
            document.put("exitCode", explained.exitCode().code());
            command.getOut().println(JsonOutput.write(document));
            command.getOut().flush();
        }
    }
}
