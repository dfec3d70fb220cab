package org.bitwitness.cli.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.bitwitness.protocol.audit.Dispersion;
import org.bitwitness.protocol.record.DetectorInputs;
import org.bitwitness.protocol.record.StepRecord;
import org.bitwitness.protocol.record.WorkerRecord;

/**
 * A picture of a run over its steps: loss, gradient norm, and how far the workers lie apart in their losses and, where the
 * run records inputs of detectors, in the norms and directions of their gradients. SVG.
 */
final class StepPlot {
    private static final int WIDTH = 800;
    private static final int PANEL = 180;
    private static final int LEFT = 70;
    private static final int TOP = 28;
    private static final int PLOT_HEIGHT = PANEL - TOP - 22;

    private StepPlot() {}

    /** @param detectors of each step; empty for a run that records none */
    static String svg(List<StepRecord> steps, List<List<DetectorInputs>> detectors) {
        StringBuilder out = new StringBuilder();
        out.append(line(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\""
                        + " font-size=\"12\">",
                WIDTH, (detectors.isEmpty() ? 3 : 5) * PANEL));
        out.append(line("<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>"));
        panel(out, 0, "loss", steps, StepRecord::loss);
        panel(out, 1, "gradient norm", steps, StepRecord::norm);
        panel(out, 2, "standard deviation of the workers\u2019 losses", steps, StepPlot::dispersion);
        if (!detectors.isEmpty()) {
            panel(
                    out,
                    3,
                    "standard deviation of the norms of the workers\u2019 gradients",
                    steps,
                    step -> norms(detectors, step));
            panel(out, 4, "mean cosine between the workers\u2019 gradients", steps, step -> cosine(detectors, step));
        }
        return out.append("</svg>\n").toString();
    }

    /** Population standard deviation of the mean token losses of a step's workers. */
    static double dispersion(StepRecord step) {
        return Dispersion.populationDeviation(
                step.workers().stream().map(StepPlot::meanLoss).toList());
    }

    /** Population standard deviation of the norms of a step's gradients. */
    static double norms(List<List<DetectorInputs>> detectors, StepRecord step) {
        return Dispersion.populationDeviation(
                detectors.get(Math.toIntExact(step.step().value())).stream()
                        .map(DetectorInputs::norm)
                        .toList());
    }

    /** From the sketches, so an estimate: its error is about 1/32. */
    static double cosine(List<List<DetectorInputs>> detectors, StepRecord step) {
        return Dispersion.meanPairwiseCosine(
                detectors.get(Math.toIntExact(step.step().value())).stream()
                        .map(DetectorInputs::sketch)
                        .toList());
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
