package org.bitwitness.cli.run.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.bitwitness.datasets.BatchSpec;
import org.bitwitness.datasets.DataCursor;
import org.bitwitness.datasets.Dataset;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.datasets.SampleOrder;
import org.bitwitness.datasets.SampleRows;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.format.RecordingPaths;
import org.bitwitness.protocol.record.MicroBatchRecord;
import org.bitwitness.protocol.record.StepRecord;

/** Every micro-batch holds the samples that the order gives, with exactly the tokens of the dataset. */
final class BatchesCheck implements Check {
    @Override
    public String name() {
        return "batch order";
    }

    @Override
    public String file() {
        return RecordingPaths.STEPS;
    }

    @Override
    public String run(Subject subject, Findings findings) throws ProtocolException, DatasetException {
        if (subject.dataset().isEmpty()) {
            findings.inconclusive("the dataset cannot be read, so the order of samples was not compared with it");
            return "";
        }
        Dataset dataset = subject.dataset().orElseThrow();
        SampleOrder order = SampleOrder.of(subject.descriptor().data(), dataset.manifest());
        BatchSpec spec = order.spec();
        long microBatches = 0;
        DataCursor cursor = DataCursor.START;
        for (long t = 0; t < subject.reader().stepCount(); t++) {
            StepRecord record = subject.reader().stepRecord(new StepIndex(t));
            for (int w = 0; w < record.workers().size(); w++) {
                List<MicroBatchRecord> batches = record.workers().get(w).microBatches();
                for (int b = 0; b < Math.min(batches.size(), spec.microBatches()); b++) {
                    long[] samples = order.samplesOf(cursor, w, b);
                    String place = "step %d worker %s micro-batch %d "
                            .formatted(t, record.workers().get(w).worker(), b);
                    check(dataset, spec, samples, batches.get(b), new Place(subject, t, place), findings);
                    microBatches++;
                }
            }
            cursor = cursor.advance(subject.descriptor().samplesPerStep(record.layout()), order.passLength());
        }
        return "%d micro-batches hold the samples of the order, token for token".formatted(microBatches);
    }

    private record Place(Subject subject, long step, String words) {
        String file() {
            return RecordingPaths.steps(subject.descriptor().storage().segmentStart(step))
                    .text();
        }
    }

    private static void check(
            Dataset dataset, BatchSpec spec, long[] samples, MicroBatchRecord batch, Place place, Findings findings)
            throws DatasetException {
        List<Long> expected = new ArrayList<>(Arrays.stream(samples).boxed().toList());
        findings.expect(place.file(), place.words() + "sampleIds", expected, batch.sampleIds());
        SampleRows rows = dataset.rows(spec.form(), samples);
        Sha256 root = MicroBatchRecord.rowsRoot(rows.ids(), rows.targets());
        findings.expect(place.file(), place.words() + "rowsRoot", root, batch.rowsRoot());
    }
}
