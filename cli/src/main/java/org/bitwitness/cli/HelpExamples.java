package org.bitwitness.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;

/** Examples that are longer than a line of help go on after a backslash, so that they can be pasted as they stand. */
final class HelpExamples {
    private static final int WIDTH = 79;
    private static final String EXAMPLE = "  ";
    private static final String CONTINUED = EXAMPLE.repeat(3);

    private HelpExamples() {}

    /** Folds the examples of a command and of all below it. */
    static void fold(CommandLine command) {
        var usage = command.getCommandSpec().usageMessage();
        usage.footer(Arrays.stream(usage.footer())
                .flatMap(line -> folded(line).stream())
                .toArray(String[]::new));
        command.getSubcommands().values().forEach(HelpExamples::fold);
    }

    /** Breaks before options only: a backslash within quotes would be part of the argument. */
    static List<String> folded(String line) {
        List<String> lines = new ArrayList<>();
        String rest = line;
        while (rest.startsWith(EXAMPLE) && rest.length() > WIDTH) {
            int end = rest.lastIndexOf(" --", WIDTH - 2);
            if (end < CONTINUED.length()) {
                break;
            }
            lines.add(rest.substring(0, end) + " \\");
            rest = CONTINUED + rest.substring(end + 1);
        }
        lines.add(rest);
        return lines;
    }
}
