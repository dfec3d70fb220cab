package org.bitwitness.protocol.record;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bitwitness.protocol.GradientRoot;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.TraceRoot;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.bytes.CanonicalDecoder;
import org.bitwitness.protocol.bytes.CanonicalEncoder;

/**
 * One worker's part of a step.
 *
 * @param gradientRoot root over its gradients after accumulation, as handed to the reduction
 * @param lossSum sum of token losses in binary64
 * @param targetCount targets that are not −1
 * @param traceRoot root over its trace entries; absent under the trace policy {@code none}
 */
public record WorkerRecord(
        WorkerId worker,
        List<MicroBatchRecord> microBatches,
        GradientRoot gradientRoot,
        double lossSum,
        long targetCount,
        Optional<TraceRoot> traceRoot) {
    public static final int MAX_MICRO_BATCHES = 1 << 16;

    public WorkerRecord {
        microBatches = List.copyOf(microBatches);
        if (microBatches.isEmpty() || microBatches.size() > MAX_MICRO_BATCHES) {
            throw new IllegalArgumentException("worker %s: from 1 to %d micro-batches, got %d"
                    .formatted(worker, MAX_MICRO_BATCHES, microBatches.size()));
        }
        if (targetCount < 0) {
            throw new IllegalArgumentException("worker %s: target count %d".formatted(worker, targetCount));
        }
    }

    byte[] toBytes() {
        return CanonicalEncoder.of("worker")
                .u64(worker.value())
                .list(microBatches.stream().map(MicroBatchRecord::toBytes).toList())
                .digest(gradientRoot.digest())
                .f64(lossSum)
                .u64(targetCount)
                .digest(traceRoot.map(TraceRoot::digest))
                .toBytes();
    }

    static WorkerRecord decode(byte[] encoded) throws ProtocolException {
        CanonicalDecoder in = CanonicalDecoder.open(encoded, "worker");
        int id = in.count("workerId", WorkerId.MAX);
        List<MicroBatchRecord> batches = new ArrayList<>();
        for (byte[] item : in.list("microBatches", MAX_MICRO_BATCHES)) {
            batches.add(MicroBatchRecord.decode(item));
        }
        Sha256 gradientRoot = in.digest("gradientRoot");
        double lossSum = in.f64("lossSum");
        long targetCount = in.u64("targetCount");
        Optional<Sha256> traceRoot = in.optionalDigest("traceRoot");
        return in.build(() -> new WorkerRecord(
                new WorkerId(id),
                batches,
                new GradientRoot(gradientRoot),
                lossSum,
                targetCount,
                traceRoot.map(TraceRoot::new)));
    }
}
