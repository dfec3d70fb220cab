package org.bitwitness.cli.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.bitwitness.protocol.record.StepRecord;
import org.bitwitness.protocol.record.WorkerRecord;

/** A picture of a run: loss, gradient norm, and how far the workers' losses lie apart, over the steps. SVG. */
final class StepPlot {
    private static final int WIDTH = 800;
    private static final int PANEL = 180;
    private static final int LEFT = 70;
    private static final int TOP = 28;
    private static final int PLOT_HEIGHT = PANEL - TOP - 22;

    private StepPlot() {}

    static String svg(List<StepRecord> steps) {
        StringBuilder out = new StringBuilder();
        out.append(line(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\""
                        + " font-size=\"12\">",
                WIDTH, 3 * PANEL));
        out.append(line("<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>"));
        panel(out, 0, "loss", steps, StepRecord::loss);
        panel(out, 1, "gradient norm", steps, StepRecord::norm);
        panel(out, 2, "standard deviation of the workers\u2019 losses", steps, StepPlot::dispersion);
        return out.append("</svg>\n").toString();
    }

    /** Population standard deviation of the mean token losses of a step's workers. */
    static double dispersion(StepRecord step) {
        List<Double> losses = step.workers().stream().map(StepPlot::meanLoss).toList();
        double mean = losses.stream().mapToDouble(Double::doubleValue).sum() / losses.size();
        double squares = losses.stream()
                .mapToDouble(loss -> (loss - mean) * (loss - mean))
                .sum();
        return Math.sqrt(squares / losses.size());
    }

    private static double meanLoss(WorkerRecord worker) {
        return worker.lossSum() / worker.targetCount();
    }

    private static void panel(
            StringBuilder out, int place, String title, List<StepRecord> steps, ToDoubleFunction<StepRecord> value) {
        List<double[]> points = new ArrayList<>();
        for (StepRecord step : steps) {
            double y = value.applyAsDouble(step);
            if (Double.isFinite(y)) {
                points.add(new double[] {step.step().value(), y});
            }
        }
        int top = place * PANEL + TOP;
        out.append(line("<text x=\"%d\" y=\"%d\">%s</text>", LEFT, top - 8, title));
        if (points.isEmpty()) {
            return;
        }
        double low = points.stream().mapToDouble(p -> p[1]).min().orElseThrow();
        double high = points.stream().mapToDouble(p -> p[1]).max().orElseThrow();
        double first = points.getFirst()[0];
        double last = points.getLast()[0];
        int bottom = top + PLOT_HEIGHT;
        out.append(line(
                "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#bbb\"/>",
                LEFT, top, WIDTH - LEFT - 10, PLOT_HEIGHT));
        out.append(line("<text x=\"4\" y=\"%d\">%.4g</text>", top + 10, high));
        out.append(line("<text x=\"4\" y=\"%d\">%.4g</text>", bottom, low));
        out.append(line("<text x=\"%d\" y=\"%d\">step %.0f</text>", LEFT, bottom + 14, first));
        out.append(line("<text x=\"%d\" y=\"%d\" text-anchor=\"end\">step %.0f</text>", WIDTH - 10, bottom + 14, last));
        StringBuilder path = new StringBuilder();
        for (double[] point : points) {
            double x = LEFT + (WIDTH - LEFT - 10) * (last == first ? 0.5 : (point[0] - first) / (last - first));
            double y = bottom - PLOT_HEIGHT * (high == low ? 0.5 : (point[1] - low) / (high - low));
            path.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y));
        }
        out.append(line(
                "<polyline points=\"%s\" fill=\"none\" stroke=\"#1f5fa8\" stroke-width=\"1.5\"/>",
                path.toString().strip()));
    }

    @SuppressWarnings("AnnotateFormatMethod")
    private static String line(String format, Object... arguments) {
        return String.format(Locale.ROOT, format, arguments) + "\n";
    }
}
