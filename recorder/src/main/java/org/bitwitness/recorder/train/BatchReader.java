package org.bitwitness.recorder.train;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.bitwitness.datasets.BatchOrder;
import org.bitwitness.datasets.BatchSpec;
import org.bitwitness.datasets.DataCursor;
import org.bitwitness.datasets.Dataset;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.datasets.SampleRows;
import org.bitwitness.kernels.MicroBatch;
import org.bitwitness.protocol.record.DataSpec;
import org.bitwitness.protocol.record.MicroBatchRecord;
import org.bitwitness.protocol.record.Scalars;

/** What a worker reads in a step: a pure function of the dataset, the state's scalars and the worker's position. */
final class BatchReader {
    private final Dataset dataset;
    private final BatchSpec spec;
    private final long sampleCount;

    BatchReader(Dataset dataset, DataSpec data) {
        this.dataset = dataset;
        this.spec = BatchSpec.of(data);
        this.sampleCount = dataset.sampleCount(data.contextLength());
    }

    /** A micro-batch as the kernels and as the record want it. */
    record Read(MicroBatch batch, MicroBatchRecord record) {}

    /** Samples of one epoch. */
    long sampleCount() {
        return sampleCount;
    }

    /** Every micro-batch of the worker at a position of the layout. */
    List<Read> read(Scalars scalars, int position) throws DatasetException {
        List<Read> out = new ArrayList<>();
        for (int b = 0; b < spec.microBatches(); b++) {
            long[] samples = BatchOrder.samplesOf(DataCursor.of(scalars), spec, position, b, sampleCount);
            SampleRows rows = dataset.rows(spec.contextLength(), samples);
            List<Long> sampleIds = Arrays.stream(samples).boxed().toList();
            out.add(new Read(
                    MicroBatch.of(rows.ids(), rows.targets()),
                    MicroBatchRecord.of(sampleIds, rows.ids(), rows.targets())));
        }
        return out;
    }
}
