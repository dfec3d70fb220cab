package org.bitwitness.cli.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** A JVM without an option that a command needs: one line that names the option (case 29 of the field reports). */
class RuntimeNeedTest {
    /** Stands for every command that needs all of it; a main class, so that a JVM of its own can run it. */
    @Command(name = "needy")
    static final class Needy extends BaseCommand {
        public static void main(String[] args) {
            FailureHandlers handlers = new FailureHandlers();
            CommandLine commandLine = new CommandLine(new Needy());
            commandLine
                    .setErr(new PrintWriter(System.err, true, System.err.charset()))
                    .setExecutionExceptionHandler(handlers);
            System.exit(commandLine.execute(args));
        }

        @Override
        protected Set<RuntimeNeed> needs() {
            return Set.of(RuntimeNeed.values());
        }

        @Override
        protected CommandResult execute(CommandIo io) {
            return CommandResult.ok("works", "works");
        }
    }

    static Stream<String> everyNeededOption() {
        return allFlags().stream().filter(flag -> flag.startsWith("--add-"));
    }

    @Test
    void withAllOptionsTheCommandRuns() throws Exception {
        ChildJvm child = ChildJvm.run(ChildJvm.command(allFlags(), Needy.class));
        assertEquals(0, child.exitCode(), child.output());
        assertTrue(child.output().contains("works"), child.output());
    }

    @ParameterizedTest
    @MethodSource("everyNeededOption")
    void aMissingOptionIsNamedInOneLine(String option) throws Exception {
        List<String> flags = new ArrayList<>(allFlags());
        flags.remove(option);
        ChildJvm child = ChildJvm.run(ChildJvm.command(flags, Needy.class));
        assertEquals(1, child.exitCode(), child.output());
        List<String> lines = child.output()
                .lines()
                .filter(line -> !line.startsWith("WARNING: Using incubator modules"))
                .toList();
        assertEquals(1, lines.size(), child.output());
        assertTrue(lines.getFirst().contains(option), child.output());
    }

    private static List<String> allFlags() {
        List<String> flags = new ArrayList<>(JvmFlags.BASE);
        flags.add(JvmFlags.VECTOR);
        return flags;
    }
}
