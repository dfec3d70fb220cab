package org.bitwitness.kernels;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One fault to plant in a source file of the module. The lists in {@code mutants/} say it like this, blocks apart by an
 * empty line:
 *
 * <pre>
 * == linear: the bias starts the chain
 * in reference/LinearKernel.java
 * killed by BackendAgreementTest linear
 * - text that stands exactly once in the file, on one or more lines;
 *   how many spaces and line breaks are between two words does not matter
 * + text that takes its place
 * </pre>
 *
 * @param file path below the package {@code org.bitwitness.kernels}
 * @param killer the test that must see the fault, with its argument
 * @param present what the file says
 * @param planted what it says with the fault
 */
record SourceMutant(String name, String file, String killer, String present, String planted) {
    private static final Pattern HEAD = Pattern.compile("== (.+)\nin (\\S+)\nkilled by (.+)\n");

    /** The mutants of one list, in its order. */
    static List<SourceMutant> read(String list) {
        String resource = "/mutants/" + list + ".txt";
        try (InputStream in = SourceMutant.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("no list of mutants " + resource);
            }
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            List<SourceMutant> mutants = new ArrayList<>();
            for (String block : text.strip().split("\n\n(?=== )", -1)) {
                mutants.add(parse(block + "\n"));
            }
            return mutants;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static SourceMutant parse(String block) {
        Matcher head = HEAD.matcher(block);
        if (!head.lookingAt()) {
            throw new IllegalStateException("a mutant starts with ==, in and killed by; this one is: " + block);
        }
        String rest = block.substring(head.end());
        int planted = rest.indexOf("\n+");
        if (!rest.startsWith("-") || planted < 0) {
            throw new IllegalStateException(
                    "a mutant says what is there after - and what takes its place after +: " + block);
        }
        return new SourceMutant(
                head.group(1),
                head.group(2),
                head.group(3),
                rest.substring(1, planted),
                rest.substring(planted).replace("\n+", "\n"));
    }

    /**
     * The file with the fault.
     *
     * @throws IllegalStateException if the text is not there exactly once: the list must follow the source
     */
    String plantIn(String source) {
        String pattern =
                Stream.of(present.strip().split("\\s+", -1)).map(Pattern::quote).collect(Collectors.joining("\\s+"));
        Matcher found = Pattern.compile(pattern).matcher(source);
        if (present.isBlank() || !found.find()) {
            throw new IllegalStateException(
                    "mutant \"%s\": %s no longer says \"%s\": plant the same fault where the arithmetic is now"
                            .formatted(name, file, present.strip()));
        }
        String mutated = source.substring(0, found.start()) + planted + source.substring(found.end());
        if (found.find()) {
            throw new IllegalStateException(
                    "mutant \"%s\": %s says \"%s\" more than once: quote more of it".formatted(name, file, present));
        }
        return mutated;
    }

    /** {@code reference.LinearKernel}. */
    String className() {
        return "org.bitwitness.kernels." + file.replace(".java", "").replace('/', '.');
    }

    @Override
    public String toString() {
        return name + " (" + file + ")";
    }
}
