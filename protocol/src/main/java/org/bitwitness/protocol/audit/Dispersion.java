package org.bitwitness.protocol.audit;

import java.util.List;

/**
 * How far the workers of a step lie apart, before their gradients become one. Statistics only: they say where to look
 * first and accuse nobody. Sums go from left to right in binary64.
 */
public final class Dispersion {
    private Dispersion() {}

    /** Standard deviation of all there is: the root of the mean square distance from the mean. */
    public static double populationDeviation(List<Double> values) {
        return Math.sqrt(squares(values) / values.size());
    }

    /** Standard deviation of a sample: divided by one less; NaN for a single value. */
    public static double sampleDeviation(List<Double> values) {
        return values.size() < 2 ? Double.NaN : Math.sqrt(squares(values) / (values.size() - 1));
    }

    /** The largest less the smallest. */
    public static double range(List<Double> values) {
        double low = Double.POSITIVE_INFINITY;
        double high = Double.NEGATIVE_INFINITY;
        for (double value : values) {
            low = Math.min(low, value);
            high = Math.max(high, value);
        }
        return high - low;
    }

    /**
     * Mean cosine over all pairs: (‖Σu‖² − N)/(N(N − 1)) with u = v/‖v‖; NaN for a single vector or one of length 0.
     *
     * @param vectors of one length: gradients, or sketches of them
     */
    public static double meanPairwiseCosine(List<float[]> vectors) {
        int n = vectors.size();
        if (n < 2) {
            return Double.NaN;
        }
        double[] sum = new double[vectors.getFirst().length];
        for (float[] vector : vectors) {
            double squares = 0;
            for (float x : vector) {
                squares += (double) x * x;
            }
            double length = Math.sqrt(squares);
            for (int i = 0; i < sum.length; i++) {
                sum[i] += vector[i] / length;
            }
        }
        double square = 0;
        for (double x : sum) {
            square += x * x;
        }
        return (square - n) / ((double) n * (n - 1));
    }

    private static double squares(List<Double> values) {
        double sum = 0;
        for (double value : values) {
            sum += value;
        }
        double mean = sum / values.size();
        double squares = 0;
        for (double value : values) {
            squares += (value - mean) * (value - mean);
        }
        return squares;
    }
}
