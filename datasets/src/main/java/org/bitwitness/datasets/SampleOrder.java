package org.bitwitness.datasets;

import java.util.ArrayList;
import java.util.List;
import org.bitwitness.protocol.record.DataSpec;
import org.bitwitness.protocol.record.MixtureSpec;

/**
 * The sample that a run reads at every place of its data order: over the whole dataset, or over parts with weights.
 *
 * <p>A mixture is read in periods of W samples, W being the sum of the weights. Its cursor counts periods where that of a
 * whole dataset counts epochs. The place r of period q goes through a permutation of [0, W); the image r' lies in the
 * range of one part, these ranges being as long as the weights and in the order of the parts. With the part's weight w and
 * the place k of r' in its range, this is sample number n = q·w + k of the part, which has an order of its own: sample
 * n mod N of its pass ⌊n / N⌋ over its N samples. So shares are exact in every period, parts end their passes when they
 * will, and any sample is found without the ones before it.
 */
public final class SampleOrder {
    private final BatchSpec spec;
    private final long passLength;
    /** Empty without a mixture. */
    private final List<PartRange> parts;

    private SampleOrder(BatchSpec spec, long passLength, List<PartRange> parts) {
        this.spec = spec;
        this.passLength = passLength;
        this.parts = List.copyOf(parts);
    }

    /**
     * @param firstInPeriod places of a period that the parts before take
     * @param samples that lie in the part's documents alone
     */
    private record PartRange(String documents, int weight, long firstInPeriod, SampleRange samples) {}

    /**
     * The order that a descriptor says, over a dataset.
     *
     * @throws DatasetException if there is no sample, or none in one of the parts
     */
    public static SampleOrder of(DataSpec data, DatasetManifest manifest) throws DatasetException {
        BatchSpec spec = BatchSpec.of(data);
        if (data.mixture().isEmpty()) {
            long samples = manifest.sampleCount(spec.form());
            if (samples == 0) {
                throw DatasetException.bytes(
                        "the dataset has no sample of %d tokens: it has %d tokens in all",
                        spec.form().length(), manifest.tokenCount());
            }
            return new SampleOrder(spec, samples, List.of());
        }
        List<PartRange> parts = new ArrayList<>();
        long before = 0;
        for (MixtureSpec.Part part : data.mixture().get().parts()) {
            SampleRange samples = SampleRange.of(manifest, part.documents(), spec.form());
            if (samples.count() == 0) {
                throw DatasetException.bytes(
                        "the part \"%s\" of data.mixture has no sample of %d tokens: `dataset show` names the documents",
                        part.documents(), spec.form().length());
            }
            parts.add(new PartRange(part.documents(), part.weight(), before, samples));
            before += part.weight();
        }
        return new SampleOrder(spec, before, parts);
    }

    /** Samples after which the cursor's epoch moves on: all of them, or a period of the mixture. */
    public long passLength() {
        return passLength;
    }

    public BatchSpec spec() {
        return spec;
    }

    /**
     * The samples of one micro-batch, in the order in which the worker reads them: workers by layout position, then
     * micro-batches, then sequences, counted on from the cursor.
     *
     * @param cursor of the state before the step
     * @param layoutPosition the worker's place in the layout list, from 0
     */
    public long[] samplesOf(DataCursor cursor, int layoutPosition, int microBatch) {
        if (parts.isEmpty()) {
            return BatchOrder.samplesOf(cursor, spec, layoutPosition, microBatch, passLength);
        }
        int sequences = spec.sequencesPerMicroBatch();
        long[] samples = new long[sequences];
        for (int s = 0; s < sequences; s++) {
            Place place = place(placeOf(cursor, layoutPosition, microBatch, s));
            samples[s] = place.sample();
        }
        return samples;
    }

    /** The cursor of one sequence of a step. */
    public DataCursor placeOf(DataCursor cursor, int layoutPosition, int microBatch, int sequence) {
        if (layoutPosition < 0
                || microBatch < 0
                || microBatch >= spec.microBatches()
                || sequence < 0
                || sequence >= spec.sequencesPerMicroBatch()) {
            throw new IllegalArgumentException("the step has no sequence %d of micro-batch %d at position %d"
                    .formatted(sequence, microBatch, layoutPosition));
        }
        long before =
                ((long) layoutPosition * spec.microBatches() + microBatch) * spec.sequencesPerMicroBatch() + sequence;
        return cursor.advance(before, passLength);
    }

    /**
     * What is read at a place.
     *
     * @param sample number in the dataset
     * @param part what the names of the part's documents begin with; empty without a mixture
     * @param pass passes over the part, or over the dataset, that are finished by then
     */
    public record Place(long sample, String part, long pass) {}

    /** What is read at a place of the order. */
    public Place place(DataCursor at) {
        if (parts.isEmpty()) {
            return new Place(BatchOrder.perm(spec.seed(), at.epoch(), at.samplePosition(), passLength), "", at.epoch());
        }
        long image = BatchOrder.permOfPeriod(spec.seed(), at.epoch(), at.samplePosition(), passLength);
        int index = 0;
        while (index + 1 < parts.size() && parts.get(index + 1).firstInPeriod() <= image) {
            index++;
        }
        PartRange part = parts.get(index);
        long number = Math.addExact(Math.multiplyExact(at.epoch(), (long) part.weight()), image - part.firstInPeriod());
        long count = part.samples().count();
        long pass = number / count;
        long inPart = BatchOrder.permOfPart(spec.seed(), index, pass, number % count, count);
        return new Place(part.samples().first() + inPart, part.documents(), pass);
    }
}
