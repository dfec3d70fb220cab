package org.bitwitness.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** What holds for every command, whoever wrote it. */
class CommandFrameTest {
    private static final Set<String> CONTRACT = new TreeSet<>(List.of(
            "demo",
            "dataset build",
            "dataset verify",
            "dataset show",
            "train",
            "run verify",
            "run show",
            "run export",
            "run fetch",
            "replay",
            "audit plan",
            "audit work",
            "audit report",
            "audit cross-check",
            "audit power",
            "dispute open",
            "dispute answer",
            "dispute referee",
            "dispute serve",
            "dispute show",
            "dispute verify",
            "profile init",
            "profile step",
            "profile hash",
            "profile sweep",
            "key new",
            "key show",
            "key rotate",
            "key revoke",
            "verify",
            "log show",
            "log prove",
            "log fsck",
            "log export",
            "log serve",
            "witness serve",
            "monitor",
            "serve",
            "doctor"));

    /** The words after "bitwitness" of each command; the root's are empty. */
    static Stream<String> everyCommand() {
        List<CommandSpec> all = new ArrayList<>();
        collect(root(), all);
        return all.stream().map(CommandFrameTest::path);
    }

    @Test
    void everyNameOfTheContractIsThere() {
        Set<String> names = new TreeSet<>();
        everyCommand().filter(name -> spec(name).subcommands().isEmpty()).forEach(names::add);
        assertTrue(names.containsAll(CONTRACT), () -> "missing of " + CONTRACT + ": has " + names);
    }

    @ParameterizedTest
    @MethodSource("everyCommand")
    void helpShowsAnExampleAndTheCommonOptions(String name) {
        CommandSpec spec = spec(name);
        String help = spec.commandLine().getUsageMessage(CommandLine.Help.Ansi.OFF);
        assertTrue(help.contains("Example"), help);
        assertTrue(help.contains(("bitwitness " + name).strip()), help);
        assertTrue(help.contains("--json"), help);
        assertTrue(help.contains("--verbose"), help);
        assertTrue(spec.usageMessage().description().length > 0, help);
        assertEquals(0, CommandLineRun.of(words(name, "--help")).exitCode());
    }

    @ParameterizedTest
    @MethodSource("everyCommand")
    void helpBreaksNoWordInTwo(String name) {
        CommandSpec spec = spec(name);
        String help = spec.commandLine().getUsageMessage(CommandLine.Help.Ansi.OFF);
        for (var option : spec.options()) {
            for (String line : option.description()) {
                for (String word : line.split("\\s+", -1)) {
                    assertTrue(word.contains("${") || help.contains(word), () -> word + " is broken in " + help);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("everyCommand")
    void examplesOfTheHelpCanBePasted(String name) {
        CommandSpec spec = spec(name);
        String help = spec.commandLine().getUsageMessage(CommandLine.Help.Ansi.OFF);
        String unfolded = help.replaceAll(" \\\\\\R +", " ");
        var written = Objects.requireNonNull(spec.userObject().getClass().getAnnotation(CommandLine.Command.class));
        for (String line : written.footer()) {
            assertTrue(!line.startsWith(" ") || unfolded.contains(line), () -> line + " is broken in " + help);
        }
    }

    @ParameterizedTest
    @MethodSource("everyCommand")
    void anUnknownOptionIsWrongUsage(String name) {
        CommandLineRun run = CommandLineRun.of(words(name, "--jsn"));
        assertEquals(1, run.exitCode(), run.err());
        assertEquals("", run.out());
    }

    @Test
    void aWrongNameIsAnsweredWithTheNearestOne() {
        CommandLineRun run = CommandLineRun.of("run", "verfy");
        assertEquals(1, run.exitCode());
        assertTrue(run.err().contains("did you mean: verify?"), run.err());
        assertTrue(run.err().contains("bitwitness run --help"), run.err());
    }

    @Test
    void aWrongOptionIsAnsweredWithTheNearestOne() {
        CommandLineRun run = CommandLineRun.of("key", "--vrebose");
        assertEquals(1, run.exitCode());
        assertTrue(run.err().contains("did you mean: --verbose?"), run.err());
    }

    @Test
    void aMisspeltRequiredOptionIsAnsweredWithTheNearestOne() {
        CommandLineRun run = CommandLineRun.of("train", "--confg", "x.json", "--out=run");
        assertEquals(1, run.exitCode());
        assertTrue(run.err().contains("'--confg'; did you mean: --config?"), run.err());
        assertTrue(
                CommandLineRun.of("train", "--out", "run").err().contains("Missing required option: '--config=FILE'"));
    }

    @Test
    void wrongUsageWithJsonIsOneDocument() throws Exception {
        CommandLineRun run = CommandLineRun.of("run", "verfy", "--json");
        JsonNode document = new ObjectMapper().readTree(run.out());
        assertEquals(1, document.get("exitCode").asInt());
        assertTrue(document.get("error").asText().contains("verfy"));
    }

    @Test
    void noCommandShowsTheHelpAndIsNoSuccess() {
        CommandLineRun run = CommandLineRun.of();
        assertEquals(1, run.exitCode());
        assertTrue(run.err().contains("Commands:"), run.err());
        assertEquals("", run.out());
    }

    @Test
    void theVersionIsTheOneOfTheBuild() {
        CommandLineRun run = CommandLineRun.of("--version");
        assertEquals(0, run.exitCode());
        assertTrue(run.out().startsWith("bitwitness 0."), run.out());
        assertFalse(run.out().contains("$"), run.out());
    }

    private static CommandSpec root() {
        return Main.commandLine(new PrintWriter(PrintWriter.nullWriter()), new PrintWriter(PrintWriter.nullWriter()))
                .getCommandSpec();
    }

    private static void collect(CommandSpec spec, List<CommandSpec> all) {
        all.add(spec);
        spec.subcommands().values().forEach(sub -> collect(sub.getCommandSpec(), all));
    }

    private static CommandSpec spec(String name) {
        CommandLine found = new CommandLine(root());
        for (String word : words(name)) {
            found = Objects.requireNonNull(found.getSubcommands().get(word), word);
        }
        return found.getCommandSpec();
    }

    private static String path(CommandSpec spec) {
        return spec.qualifiedName().replaceFirst("^bitwitness ?", "");
    }

    private static String[] words(String name, String... more) {
        List<String> words = new ArrayList<>(
                Stream.of(name.split(" ")).filter(word -> !word.isEmpty()).toList());
        words.addAll(List.of(more));
        return words.toArray(String[]::new);
    }
}
