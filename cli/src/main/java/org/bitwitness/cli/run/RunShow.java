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
import org.bitwitness.protocol.record.StepRecord;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bitwitness run show}: what a recording says about itself. Verifies nothing but its structure. */
@Command(
        name = "show",
        description = "Show what a recording says about itself.",
        footerHeading = "%nExamples:%n",
        footer = {"  bitwitness run show demo-out/run", "  bitwitness run show demo-out/run --svg run.svg"})
final class RunShow extends BaseCommand {
    @Parameters(paramLabel = "RUN", description = "The folder of the recording.")
    private Path run;

    @Option(
            names = "--svg",
            paramLabel = "FILE",
            description = "Draw loss, norm and how far the workers' losses lie apart to this file.")
    private Optional<Path> svg = Optional.empty();

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
        if (svg.isPresent()) {
            Files.writeString(svg.get(), StepPlot.svg(steps));
        }
        return CommandResult.ok(document(reader, steps), lines(reader, steps).toArray(String[]::new));
    }

    private Map<String, Object> document(RecordingReader reader, List<StepRecord> steps) {
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

    private List<String> lines(RecordingReader reader, List<StepRecord> steps) {
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
