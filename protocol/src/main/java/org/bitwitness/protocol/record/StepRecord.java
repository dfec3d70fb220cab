package org.bitwitness.protocol.record;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.bitwitness.protocol.CombinedRoot;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.bytes.CanonicalDecoder;
import org.bitwitness.protocol.bytes.CanonicalEncoder;
import org.bitwitness.protocol.merkle.MerkleTree;

/**
 * Everything committed about one step; its bytes are leaf {@code step} of the run's tree.
 *
 * @param valid false for an INVALID step: tensors stay, data and schedule advance, the update count does not
 * @param reduction {@code ORDERED [[[0,1],2],3]} (positions in the layout) or {@code EXACT}
 * @param targetCount targets of all workers
 * @param workers one record for each position of the layout
 * @param exactExponentsRoot root over the segment exponents of an EXACT reduction
 * @param norm binary64 norm of the combined gradient before clipping
 * @param clip factor that the update multiplies gradients by
 * @param detectorDigest {@link DetectorInputs#digest} of the workers; {@link #NO_DETECTORS} where nothing is recorded
 */
public record StepRecord(
        RunId runId,
        StepIndex step,
        boolean valid,
        StateRoot stateRootBefore,
        StateRoot stateRootAfter,
        Layout layout,
        String reduction,
        Averaging averaging,
        long targetCount,
        double learningRate,
        List<WorkerRecord> workers,
        CombinedRoot combinedRoot,
        Optional<Sha256> exactExponentsRoot,
        double norm,
        float clip,
        float loss,
        Sha256 detectorDigest) {
    /** Digest of an empty list of detector inputs. */
    public static final Sha256 NO_DETECTORS = DetectorInputs.digest(List.of());

    private static final int MAX_REDUCTION_BYTES = 1 << 20;

    public StepRecord {
        workers = List.copyOf(workers);
        List<WorkerId> ids = workers.stream().map(WorkerRecord::worker).toList();
        if (!ids.equals(layout.workers())) {
            throw new IllegalArgumentException("step %s: the workers should be those of the layout %s, are %s"
                    .formatted(step, layout.workers(), ids));
        }
        if (targetCount < 0) {
            throw new IllegalArgumentException("step %s: target count %d".formatted(step, targetCount));
        }
    }

    /** Leaf bytes. */
    public byte[] toBytes() {
        return CanonicalEncoder.of("step")
                .digest(runId.digest())
                .u64(step.value())
                .flag(valid)
                .digest(stateRootBefore.digest())
                .digest(stateRootAfter.digest())
                .u64List(layout.ids())
                .text(reduction)
                .text(averaging.name())
                .u64(targetCount)
                .f64(learningRate)
                .list(workers.stream().map(WorkerRecord::toBytes).toList())
                .digest(combinedRoot.digest())
                .digest(exactExponentsRoot)
                .f64(norm)
                .f32(clip)
                .f32(loss)
                .digest(detectorDigest)
                .toBytes();
    }

    /** SHA-256(0x00 ‖ leaf bytes). */
    public Sha256 leafHash() {
        return MerkleTree.leafHash(toBytes());
    }

    public static StepRecord decode(byte[] encoded) throws ProtocolException {
        CanonicalDecoder in = CanonicalDecoder.open(encoded, "step");
        Sha256 runId = in.digest("runId");
        long step = in.u64("step");
        boolean valid = in.flag("valid");
        Sha256 before = in.digest("stateRootBefore");
        Sha256 after = in.digest("stateRootAfter");
        long[] layout = in.u64List("layout", Layout.MAX_WORKERS);
        String reduction = in.text("reduction", MAX_REDUCTION_BYTES);
        String averaging = in.text("averaging", 16);
        long targetCount = in.u64("targetCount");
        double learningRate = in.f64("learningRate");
        List<WorkerRecord> workers = new ArrayList<>();
        for (byte[] item : in.list("workers", Layout.MAX_WORKERS)) {
            workers.add(WorkerRecord.decode(item));
        }
        Sha256 combinedRoot = in.digest("combinedRoot");
        Optional<Sha256> exponentsRoot = in.optionalDigest("exactExponentsRoot");
        double norm = in.f64("norm");
        float clip = in.f32("clip");
        float loss = in.f32("loss");
        Sha256 detectors = in.digest("detectorDigest");
        return in.build(() -> new StepRecord(
                new RunId(runId),
                new StepIndex(step),
                valid,
                new StateRoot(before),
                new StateRoot(after),
                layoutOf(layout),
                reduction,
                Averaging.ofText(averaging),
                targetCount,
                learningRate,
                workers,
                new CombinedRoot(combinedRoot),
                exponentsRoot,
                norm,
                clip,
                loss,
                detectors));
    }

    private static Layout layoutOf(long[] ids) {
        return new Layout(Arrays.stream(ids)
                .mapToObj(id -> new WorkerId((int) Math.min(id, Integer.MAX_VALUE)))
                .toList());
    }
}
