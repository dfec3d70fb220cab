package org.bitwitness.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The tests that compare bits see the slips that happen: swapped additions, a lost {@code +0}, a contracted multiply-add,
 * an unordered lane sum, a chunk one too long, a missing mask. Every fault of the lists in {@code mutants/} is compiled
 * into the real sources and must be seen by the test that the list names.
 */
class SourceMutantTest {
    /** One in so many is planted every day. */
    private static final int SAMPLE = 12;

    static List<SourceMutant> all() {
        List<SourceMutant> mutants = new ArrayList<>();
        for (String list : List.of("reference", "vector", "step")) {
            mutants.addAll(SourceMutant.read(list));
        }
        return mutants;
    }

    static List<SourceMutant> sample() {
        List<SourceMutant> all = all();
        List<SourceMutant> some = new ArrayList<>();
        for (int i = 0; i < all.size(); i += SAMPLE) {
            some.add(all.get(i));
        }
        return some;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("sample")
    void aFaultOfTheDailySampleIsSeen(SourceMutant mutant) {
        assertFalse(MutantHunt.findings(mutant).isEmpty(), mutant + " lives: " + mutant.killer() + " saw nothing");
    }

    @Tag("slow")
    @ParameterizedTest(name = "{0}")
    @MethodSource("all")
    void everyFaultIsSeen(SourceMutant mutant) {
        assertFalse(MutantHunt.findings(mutant).isEmpty(), mutant + " lives: " + mutant.killer() + " saw nothing");
    }

    @Test
    void everyFaultStillAppliesToTheSources() {
        List<String> problems = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (SourceMutant mutant : all()) {
            try {
                String source = MutantLoader.source(mutant.file());
                assertFalse(source.equals(mutant.plantIn(source)), mutant + " changes nothing");
            } catch (IllegalStateException e) {
                problems.add(e.getMessage());
            }
            assertTrue(names.add(mutant.toString()), "two mutants are called " + mutant);
        }
        assertEquals(List.of(), problems);
    }

    /** Two in the code that reads like the specification, and something in the fast code. */
    @Test
    void everyOperatorHasAtLeastTwoFaults() {
        Set<String> missing = new TreeSet<>();
        for (String kind : OperatorCases.KINDS) {
            long faults = all().stream()
                    .filter(m -> m.killer().equals("BackendAgreementTest " + kind))
                    .count();
            if (faults < 2) {
                missing.add(kind);
            }
        }
        assertEquals(Set.of(), missing);
    }

    /** Twin: without a fault nothing is seen, so what is seen is the fault. */
    @Test
    void nothingIsSeenInASourceThatOnlyLooksDifferent() {
        SourceMutant twin = new SourceMutant(
                "twin",
                "reference/Dot.java",
                "BackendAgreementTest linear",
                "return total + chunkSum;",
                "float sum = total + chunkSum;\nreturn sum;");
        assertEquals(List.of(), MutantHunt.findings(twin));
    }

    @Test
    void aFaultThatNoLongerAppliesIsAnError() {
        SourceMutant gone = new SourceMutant("gone", "reference/Dot.java", "x", "int no = such + text;", "");
        assertThrows(IllegalStateException.class, () -> gone.plantIn(MutantLoader.source(gone.file())));
        SourceMutant twice = new SourceMutant("twice", "reference/Dot.java", "x", "chunkSum", "chunk");
        assertThrows(IllegalStateException.class, () -> twice.plantIn(MutantLoader.source(twice.file())));
    }
}
