package org.bitwitness.cli.support;

import java.util.List;
import java.util.Map;

/**
 * What a command found: the lines a person reads, and the one document that {@code --json} prints instead.
 *
 * @param exitCode what the process exits with
 * @param document a record, a map, a Jackson tree or a value of {@code protocol.format.Json}; written by {@link JsonOutput}
 * @param lines human text, one element a line, printed on standard output without {@code --json}
 */
public record CommandResult(ExitCode exitCode, Object document, List<String> lines) {
    public CommandResult {
        lines = List.copyOf(lines);
    }

    public static CommandResult ok(Object document, String... lines) {
        return new CommandResult(ExitCode.OK, document, List.of(lines));
    }

    public static CommandResult of(ExitCode exitCode, Object document, List<String> lines) {
        return new CommandResult(exitCode, document, lines);
    }

    /** For a command that has published its result already and then went on, as a server does. */
    public static CommandResult published(ExitCode exitCode) {
        return new CommandResult(exitCode, Map.of(), List.of());
    }
}
