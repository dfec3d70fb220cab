package org.bitwitness.cli.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.RuntimeNeed;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.DetectorInputs;
import org.bitwitness.protocol.record.DetectorPolicy;
import org.bitwitness.protocol.record.Layout;
import org.bitwitness.protocol.record.StepRecord;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bitwitness run show}: what a recording says about itself. Verifies nothing but its structure. */
@Command(
        name = "show",
        description = "Show what a recording says about itself.",
        footerHeading = "%nExamples:%n",
        footer = {"  bitwitness run show demo-out/run", "  bitwitness run show demo-out/run --png run.png"})
final class RunShow extends BaseCommand {
    @Parameters(paramLabel = "RUN", description = "The folder of the recording.")
    private Path run;

    @Option(
            names = "--svg",
            paramLabel = "FILE",
            description =
                    "Draw loss, norm and how far the workers lie apart to this file: in their losses, and with detector"
                            + " inputs in the norms and directions of their gradients.")
    private Optional<Path> svg = Optional.empty();

    @Option(names = "--png", paramLabel = "FILE", description = "The same drawing, as an image.")
    private Optional<Path> png = Optional.empty();

    @Override
    protected Set<RuntimeNeed> needs() {
        return EnumSet.of(RuntimeNeed.ARROW);
    }

    @Override
    protected CommandResult execute(CommandIo io) throws CommandFailure, ProtocolException, IOException {
        RecordingReader reader = RecordingReader.open(run);
        List<StepRecord> steps = new ArrayList<>();
        for (long t = 0; t < reader.stepCount(); t++) {
            steps.add(reader.stepRecord(new StepIndex(t)));
        }
        List<List<DetectorInputs>> detectors = new ArrayList<>();
        if (reader.descriptor().detectors() != DetectorPolicy.NONE) {
            for (StepRecord step : steps) {
                detectors.add(reader.detectors(step.step()));
            }
        }
        if (svg.isPresent()) {
            Files.writeString(svg.get(), StepPlot.svg(steps, detectors));
        }
        if (png.isPresent()) {
            Files.write(png.get(), PlotImage.png(StepPlot.svg(steps, detectors)));
        }
        return CommandResult.ok(
                document(reader, steps, detectors),
                lines(reader, steps, detectors).toArray(String[]::new));
    }

    private Map<String, Object> document(
            RecordingReader reader, List<StepRecord> steps, List<List<DetectorInputs>> detectors) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("run", run.toString());
        document.put("runId", reader.runId().hex());
        document.put("descriptorDigest", reader.descriptorDigest().hex());
        document.put("profile", reader.descriptor().profile().text());
        document.put("steps", reader.stepCount());
        document.put("plannedSteps", reader.descriptor().schedule().steps());
        document.put("final", reader.last().isFinal());
        document.put("stateRoot", reader.last().stateRoot().hex());
        document.put("workers", reader.descriptor().layout().size());
        document.put(
                "invalidSteps", steps.stream().filter(step -> !step.valid()).count());
        // A loss that is not finite has no JSON number; it is left out as null would be.
        document.put(
                "losses",
                steps.stream()
                        .map(StepRecord::loss)
                        .map(loss -> Float.isFinite(loss) ? (Object) loss : String.valueOf(loss))
                        .toList());
        document.put("norms", numbers(steps, StepRecord::norm));
        document.put("lossDeviations", numbers(steps, StepPlot::dispersion));
        if (!detectors.isEmpty()) {
            document.put("normDeviations", numbers(steps, step -> StepPlot.norms(detectors, step)));
            document.put("meanCosines", numbers(steps, step -> StepPlot.cosine(detectors, step)));
        }
        document.put(
                "commitments",
                reader.commitments().stream()
                        .map(commitment -> Map.of(
                                "sequence", commitment.sequence(),
                                "endStep", commitment.endStep(),
                                "digest", commitment.digest().hex()))
                        .toList());
        return document;
    }

    /** A line for every step whose workers are others than those of the step before. */
    private static List<String> layouts(RecordingReader reader, List<StepRecord> steps) {
        List<String> lines = new ArrayList<>();
        Layout before = reader.descriptor().layout();
        for (StepRecord step : steps) {
            if (!step.layout().equals(before)) {
                boolean planned = step.layout().equals(reader.descriptor().plannedLayout(step.step(), before));
                lines.add("layout       from step %s: workers %s%s"
                        .formatted(step.step(), step.layout().workers(), planned ? "" : ", the others were lost"));
            }
            before = step.layout();
        }
        return lines;
    }

    private static String row(String name, List<StepRecord> steps, ToDoubleFunction<StepRecord> value) {
        List<Float> values =
                steps.stream().map(step -> (float) value.applyAsDouble(step)).toList();
        return "%-12s %s  %.4f to %.4f".formatted(name, Sparkline.of(values), values.getFirst(), values.getLast());
    }

    /** Numbers as JSON has them; one that is not finite is text. */
    private static List<Object> numbers(List<StepRecord> steps, ToDoubleFunction<StepRecord> value) {
        return steps.stream()
                .map(value::applyAsDouble)
                .map(number -> Double.isFinite(number) ? (Object) number : String.valueOf(number))
                .toList();
    }

    private List<String> lines(RecordingReader reader, List<StepRecord> steps, List<List<DetectorInputs>> detectors) {
        Descriptor d = reader.descriptor();
        List<String> lines = new ArrayList<>();
        lines.add("run          " + reader.runId());
        lines.add("profile      " + d.profile());
        lines.add("model        %s, %d layers, width %d, %d heads, context %d, vocabulary %d"
                .formatted(
                        d.model().family().text(),
                        d.model().layers(),
                        d.model().width(),
                        d.model().heads(),
                        d.model().context(),
                        d.model().vocab()));
        lines.add("data         %s, %d x %d sequences of %d tokens for each of %d workers"
                .formatted(
                        d.data().datasetRoot(),
                        d.data().microBatches(),
                        d.data().sequencesPerMicroBatch(),
                        d.data().contextLength(),
                        d.layout().size()));
        lines.addAll(layouts(reader, steps));
        lines.add("reduction    %s, %s"
                .formatted(d.reductionText(), d.aggregation().averaging()));
        lines.add("schedule     %s, base %s, min %s, warm-up %d"
                .formatted(
                        d.schedule().kind().text(),
                        d.schedule().base(),
                        d.schedule().min(),
                        d.schedule().warmup()));
        lines.add("steps        %d of %d, %s"
                .formatted(
                        reader.stepCount(),
                        d.schedule().steps(),
                        reader.last().isFinal() ? "finished" : "not finished"));
        if (!steps.isEmpty()) {
            lines.add("loss         %s  %.4f to %.4f"
                    .formatted(
                            Sparkline.of(steps.stream().map(StepRecord::loss).toList()),
                            steps.getFirst().loss(),
                            steps.getLast().loss()));
            lines.add(row("norm", steps, StepRecord::norm));
            lines.add(row("losses apart", steps, StepPlot::dispersion));
        }
        if (!detectors.isEmpty()) {
            lines.add(row("norms apart", steps, step -> StepPlot.norms(detectors, step)));
            lines.add(row("mean cosine", steps, step -> StepPlot.cosine(detectors, step)));
        }
        for (Commitment commitment : reader.commitments()) {
            lines.add("%-12s %s  steps to %d, %d files%s"
                    .formatted(
                            commitment.sequence() == 0 ? "OPEN" : "commitment " + commitment.sequence(),
                            commitment.digest(),
                            commitment.endStep(),
                            commitment.newFiles().size(),
                            commitment.isFinal() ? ", final" : ""));
        }
        lines.add("state root   " + reader.last().stateRoot());
        lines.add("Nothing was verified: `bitwitness run verify` does.");
        return lines;
    }
}
