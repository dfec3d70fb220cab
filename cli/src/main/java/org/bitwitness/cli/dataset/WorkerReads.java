package org.bitwitness.cli.dataset;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.cli.support.Printable;
import org.bitwitness.datasets.BatchSpec;
import org.bitwitness.datasets.DataCursor;
import org.bitwitness.datasets.Dataset;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.datasets.Sample;
import org.bitwitness.datasets.SampleOrder;
import org.bitwitness.datasets.SamplePlace;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.format.RecordingPaths;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.MicroBatchRecord;
import org.bitwitness.protocol.record.StepRecord;

/** The documents and offsets that one worker read in one step, as its record says, compared with the data order. */
final class WorkerReads {
    private static final int MAX_EXCERPT_CHARACTERS = 200;

    private WorkerReads() {}

    /** What {@code --json} prints. */
    record Read(int microBatch, long sample, Optional<String> part, long pass, SamplePlace place, String text) {}

    static CommandResult show(Path recording, StepIndex step, WorkerId worker)
            throws CommandFailure, DatasetException, ProtocolException {
        RecordingReader reader = RecordingReader.open(recording);
        if (step.value() >= reader.stepCount()) {
            throw CommandFailure.usage("there is no step %s: the recording has %d".formatted(step, reader.stepCount()));
        }
        StepRecord record = reader.stepRecord(step);
        int position = record.layout().workers().indexOf(worker);
        if (position < 0) {
            throw CommandFailure.usage("step %s has the workers %s, not %s"
                    .formatted(step, record.layout().workers(), worker));
        }
        try (Dataset dataset = Dataset.open(recording.resolve(RecordingPaths.DATASET))) {
            List<Read> reads = reads(reader, record, position, dataset);
            List<String> lines = new ArrayList<>();
            for (Read read : reads) {
                lines.add("micro-batch %d, sample %d%s: %s, tokens %d to %d"
                        .formatted(
                                read.microBatch(),
                                read.sample(),
                                read.part()
                                        .map(part -> " of the part \"%s\" in its pass %d".formatted(part, read.pass()))
                                        .orElse(""),
                                read.place().shard(),
                                read.place().firstToken(),
                                read.place().firstToken()
                                        + reader.descriptor().data().contextLength()));
                for (SamplePlace.Span span : read.place().documents()) {
                    lines.add("  %s, tokens %d to %d".formatted(span.document(), span.from(), span.end() - 1));
                }
                lines.add("  " + excerpt(read.text()));
            }
            return CommandResult.of(
                    ExitCode.OK, reads, lines.stream().map(Printable::unmarked).toList());
        }
    }

    private static List<Read> reads(RecordingReader reader, StepRecord record, int position, Dataset dataset)
            throws CommandFailure, DatasetException, ProtocolException {
        Descriptor descriptor = reader.descriptor();
        SampleOrder order = SampleOrder.of(descriptor.data(), dataset.manifest());
        BatchSpec spec = order.spec();
        DataCursor cursor = DataCursor.START.advance(samplesBefore(reader, record.step()), order.passLength());
        List<Read> reads = new ArrayList<>();
        List<MicroBatchRecord> batches = record.workers().get(position).microBatches();
        for (int m = 0; m < batches.size(); m++) {
            List<Long> ordered = m < spec.microBatches()
                    ? Arrays.stream(order.samplesOf(cursor, position, m))
                            .boxed()
                            .toList()
                    : List.of();
            if (!ordered.equals(batches.get(m).sampleIds())) {
                throw CommandFailure.refused(
                        "step %s, micro-batch %d: should read the samples %s by the data order, says %s"
                                .formatted(
                                        record.step(),
                                        m,
                                        ordered,
                                        batches.get(m).sampleIds()));
            }
            for (int s = 0; s < ordered.size(); s++) {
                SampleOrder.Place place = order.place(order.placeOf(cursor, position, m, s));
                Sample ids = dataset.sample(spec.form(), place.sample());
                String text = new String(dataset.tokenizer().decode(ids.ids()), StandardCharsets.UTF_8);
                reads.add(new Read(
                        m,
                        place.sample(),
                        descriptor.data().mixture().map(unused -> place.part()),
                        place.pass(),
                        dataset.place(spec.form(), place.sample()),
                        text));
            }
        }
        return reads;
    }

    /** Steps of a run whose layout changes are asked one by one. */
    private static long samplesBefore(RecordingReader reader, StepIndex step) throws ProtocolException {
        Descriptor descriptor = reader.descriptor();
        if (descriptor.elastic().isEmpty()) {
            return Math.multiplyExact(step.value(), descriptor.samplesPerStep(descriptor.layout()));
        }
        long samples = 0;
        for (long t = 0; t < step.value(); t++) {
            samples += descriptor.samplesPerStep(
                    reader.stepRecord(new StepIndex(t)).layout());
        }
        return samples;
    }

    private static String excerpt(String text) {
        String line = text.replace('\n', ' ');
        return line.length() <= MAX_EXCERPT_CHARACTERS
                ? line
                : line.substring(0, line.offsetByCodePoints(0, MAX_EXCERPT_CHARACTERS / 2)) + " …";
    }
}
