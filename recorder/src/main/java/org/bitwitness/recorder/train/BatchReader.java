package org.bitwitness.recorder.train;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.bitwitness.datasets.BatchSpec;
import org.bitwitness.datasets.DataCursor;
import org.bitwitness.datasets.Dataset;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.datasets.SampleOrder;
import org.bitwitness.datasets.SampleRows;
import org.bitwitness.kernels.MicroBatch;
import org.bitwitness.protocol.record.DataSpec;
import org.bitwitness.protocol.record.MicroBatchRecord;
import org.bitwitness.protocol.record.Scalars;

/** What a worker reads in a step: a pure function of the dataset, the state's scalars and the worker's position. */
final class BatchReader {
    private final Dataset dataset;
    private final SampleOrder order;

    BatchReader(Dataset dataset, DataSpec data) throws DatasetException {
        this.dataset = dataset;
        this.order = SampleOrder.of(data, dataset.manifest());
    }

    /** A micro-batch as the kernels and as the record want it. */
    record Read(MicroBatch batch, MicroBatchRecord record) {}

    /** Samples after which the cursor's epoch moves on. */
    long passLength() {
        return order.passLength();
    }

    /** Every micro-batch of the worker at a position of the layout. */
    List<Read> read(Scalars scalars, int position) throws DatasetException {
        List<Read> out = new ArrayList<>();
        BatchSpec spec = order.spec();
        for (int b = 0; b < spec.microBatches(); b++) {
            long[] samples = order.samplesOf(DataCursor.of(scalars), position, b);
            SampleRows rows = dataset.rows(spec.form(), samples);
            List<Long> sampleIds = Arrays.stream(samples).boxed().toList();
            out.add(new Read(
                    MicroBatch.of(rows.ids(), rows.targets()),
                    MicroBatchRecord.of(sampleIds, rows.ids(), rows.targets())));
        }
        return out;
    }
}
