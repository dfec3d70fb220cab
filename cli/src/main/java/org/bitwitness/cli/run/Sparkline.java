package org.bitwitness.cli.run;

import java.util.ArrayList;
import java.util.List;

/** A row of bars for a terminal. */
final class Sparkline {
    private static final String BARS = "▁▂▃▄▅▆▇█";
    private static final int MAX_BARS = 60;

    private Sparkline() {}

    /** One bar for each value, or for the mean of each of 60 stretches; a stretch that is not finite shows as {@code x}. */
    static String of(List<Float> values) {
        List<Double> means = new ArrayList<>();
        int bars = Math.min(MAX_BARS, values.size());
        for (int bar = 0; bar < bars; bar++) {
            int from = (int) ((long) bar * values.size() / bars);
            int to = (int) ((bar + 1L) * values.size() / bars);
            means.add(values.subList(from, to).stream()
                    .mapToDouble(Float::doubleValue)
                    .average()
                    .orElse(Double.NaN));
        }
        double low =
                means.stream().filter(Double::isFinite).min(Double::compare).orElse(0.0);
        double high =
                means.stream().filter(Double::isFinite).max(Double::compare).orElse(0.0);
        StringBuilder line = new StringBuilder();
        for (double mean : means) {
            line.append(Double.isFinite(mean) ? bar(mean, low, high) : 'x');
        }
        return line.toString();
    }

    private static char bar(double value, double low, double high) {
        double height = high > low ? (value - low) / (high - low) : 0;
        return BARS.charAt((int) Math.min(BARS.length() - 1, height * BARS.length()));
    }
}
