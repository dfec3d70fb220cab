package org.bitwitness.protocol.audit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Worked by hand: losses 2, 2.1, 1.9, 2.4, and four gradients of two elements. */
class DispersionTest {
    private static final List<Double> LOSSES = List.of(2.0, 2.1, 1.9, 2.4);

    @Test
    void theDeviationSaysWhetherItIsOfAPopulationOrOfASample() {
        assertEquals(0.187083, Dispersion.populationDeviation(LOSSES), 5e-7);
        assertEquals(0.216025, Dispersion.sampleDeviation(LOSSES), 5e-7);
        assertEquals(0.5, Dispersion.range(LOSSES), 1e-12);
    }

    @Test
    void theMeanCosineOfAllPairsComesFromTheSumOfTheUnitVectors() {
        List<float[]> gradients =
                List.of(new float[] {1, 0}, new float[] {0.8f, 0.6f}, new float[] {0.6f, 0.8f}, new float[] {-1, 0});
        assertEquals(-0.0066667, Dispersion.meanPairwiseCosine(gradients), 5e-7);
        assertEquals(
                -0.0066667,
                Dispersion.meanPairwiseCosine(
                        List.of(new float[] {3, 0}, new float[] {8, 6}, new float[] {60, 80}, new float[] {-0.1f, 0})),
                5e-7,
                "lengths do not count");
    }

    @Test
    void oneWorkerHasNoPairs() {
        assertTrue(Double.isNaN(Dispersion.meanPairwiseCosine(List.of(new float[] {1, 2}))));
        assertTrue(Double.isNaN(Dispersion.sampleDeviation(List.of(1.0))));
        assertEquals(0, Dispersion.populationDeviation(List.of(1.0)));
    }
}
