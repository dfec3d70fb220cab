package org.bitwitness.kernels;

import java.util.ArrayList;
import java.util.List;
import org.bitwitness.protocol.record.OptimizerSpec;
import org.bitwitness.protocol.tensor.Shape;

/** Updates one segment of a parameter: the same bits as {@link Updater} over whole tensors, since no element reads another. */
final class SegmentUpdater {
    private final Backend backend;

    SegmentUpdater(Backend backend) {
        this.backend = backend;
    }

    /**
     * Updates in place, or leaves all as it is.
     *
     * @param t the update count after this step, from 1
     * @return false where a number is not finite before or would be after
     */
    boolean update(StateSegment segment, float[] combined, UpdateRequest request, long t) {
        int kinds = request.optimizer().momentPrefixes().size();
        if (segment.moments().size() != kinds) {
            throw new IllegalArgumentException("%s needs %d moments of a segment, got %d"
                    .formatted(
                            request.optimizer().kind(), kinds, segment.moments().size()));
        }
        List<float[]> arrays = new ArrayList<>(List.of(segment.parameter()));
        arrays.addAll(segment.moments());
        List<Tensor> tensors = arrays.stream().map(this::bound).toList();
        Tensor gradient = bound(combined);
        boolean decays = segment.decays();
        boolean updated = switch (request.optimizer()) {
            case OptimizerSpec.AdamW adam ->
                backend.adamW(
                        List.of(new AdamWSlot(tensors.get(0), tensors.get(1), tensors.get(2), gradient, decays)),
                        Updater.constants(request, adam, t));
            case OptimizerSpec.Sgd sgd ->
                backend.sgd(
                        List.of(new SgdSlot(tensors.get(0), tensors.get(1), gradient, decays)),
                        Updater.constants(request, sgd, t));
        };
        for (int i = 0; updated && i < tensors.size(); i++) {
            HostCopies.fetch(backend, tensors.get(i), arrays.get(i));
        }
        backend.release(tensors);
        backend.release(List.of(gradient));
        return updated;
    }

    private Tensor bound(float[] data) {
        Tensor tensor = Tensor.declare("segment", Shape.of(data.length));
        backend.bind(tensor, data);
        return tensor;
    }
}
