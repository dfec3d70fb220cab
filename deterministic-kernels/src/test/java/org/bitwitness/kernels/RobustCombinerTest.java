package org.bitwitness.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.protocol.record.Reduction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The robust rules on gradients whose answers are known, on both CPU backends. */
class RobustCombinerTest {
    private static final ParameterManifest MANIFEST =
            GoldenFiles.config("gpt2", 1).manifest();

    private static final float NAN = Float.NaN;

    /** The first elements of the first tensor; all other elements are +0. */
    private static Gradients gradient(float... first) {
        Gradients g = Gradients.zero(MANIFEST);
        System.arraycopy(first, 0, g.tensor(0), 0, first.length);
        return g;
    }

    private static float[] combine(BackendId id, String rule, float[]... workers) {
        List<Gradients> gradients = new ArrayList<>();
        for (float[] worker : workers) {
            gradients.add(gradient(worker));
        }
        try (Backend backend = Backends.create(id, 2)) {
            Reduction.Robust robust = (Reduction.Robust) Reduction.parse(rule);
            Gradients combined = new RobustCombiner(MANIFEST, backend, gradients).combine(robust);
            for (int i = 0; i < workers.length; i++) {
                assertArrayEquals(
                        gradient(workers[i]).tensor(0), gradients.get(i).tensor(0), "an input was changed");
            }
            return Arrays.copyOf(combined.tensor(0), workers[0].length);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'KRUM(1)', 1 2 3",
        "'MULTI_KRUM(1,2)', 2.5 3.5 4.5",
        "MEDIAN, 4 5 6",
        "'TRIMMED_MEAN(0)', 4 5 6",
        "'TRIMMED_MEAN(1)', 4 5 6"
    })
    void givesThePublishedAnswers(String rule, String expected) {
        for (BackendId id : List.of(BackendId.REFERENCE, BackendId.VECTOR)) {
            float[] found = combine(id, rule, new float[] {1, 2, 3}, new float[] {4, 5, 6}, new float[] {7, 8, 9});
            assertEquals(expected, text(found), id.text());
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = BackendId.class,
            names = {"REFERENCE", "VECTOR"})
    void threeIterationsTowardsTheGeometricMedianGiveThePublishedAnswer(BackendId id) {
        float[] found =
                combine(id, "GEOMETRIC_MEDIAN(3)", new float[] {1, 2, 3}, new float[] {4, 5, 6}, new float[] {7, 8, 9});
        assertArrayEquals(new float[] {3.7878876f, 4.7878876f, 5.7878876f}, found, 2e-6f);
    }

    /** One of five sends nonsense; the others lie around 1. */
    @ParameterizedTest
    @ValueSource(strings = {"MEDIAN", "TRIMMED_MEAN(1)", "KRUM(1)", "MULTI_KRUM(1,3)", "GEOMETRIC_MEDIAN(4)"})
    void oneLiarOfFiveMovesNothingFar(String rule) {
        for (BackendId id : List.of(BackendId.REFERENCE, BackendId.VECTOR)) {
            for (float lie : new float[] {-3e38f, 1e20f, 50f, Float.NEGATIVE_INFINITY, NAN}) {
                float[] found = combine(
                        id,
                        rule,
                        new float[] {0.9f, 1},
                        new float[] {1, 1.1f},
                        new float[] {lie, lie},
                        new float[] {1.1f, 0.9f},
                        new float[] {1, 1});
                for (float x : found) {
                    assertTrue(x > 0.8f && x < 1.2f, rule + " with " + lie + ": " + text(found));
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = BackendId.class,
            names = {"REFERENCE", "VECTOR"})
    void zerosAreOrderedByTheirSignAndNanComesLast(BackendId id) {
        float[] middle =
                combine(id, "MEDIAN", new float[] {0f, NAN, NAN, 5}, new float[] {-0f, 1, NAN, -0f}, new float[] {
                    -0f, Float.POSITIVE_INFINITY, 1, 0f
                });
        assertEquals("-0 Infinity NaN 0", text(middle));
    }

    @ParameterizedTest
    @EnumSource(
            value = BackendId.class,
            names = {"REFERENCE", "VECTOR"})
    void equalScoresAreDecidedByPosition(BackendId id) {
        float[][] corners = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
        assertEquals("1 0", text(combine(id, "KRUM(1)", corners)));
        assertEquals("0.5 0.5", text(combine(id, "MULTI_KRUM(1,2)", corners)));
    }

    @Test
    void refusesTooFewWorkers() {
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class,
                () -> combine(BackendId.REFERENCE, "TRIMMED_MEAN(1)", new float[] {1}, new float[] {2}));
        assertTrue(String.valueOf(e.getMessage()).contains("at least 3 workers"), e::toString);
    }

    private static String text(float... x) {
        List<String> out = new ArrayList<>();
        for (float v : x) {
            String number = Float.toString(v);
            out.add(number.endsWith(".0") ? number.substring(0, number.length() - 2) : number);
        }
        return String.join(" ", out);
    }
}
