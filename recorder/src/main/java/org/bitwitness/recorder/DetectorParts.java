package org.bitwitness.recorder;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.DetectorInputs;
import org.bitwitness.protocol.record.DetectorPolicy;
import org.bitwitness.protocol.record.Layout;

/** What the workers of a step bring for detectors. */
final class DetectorParts {
    private DetectorParts() {}

    /**
     * In the order of the layout; none without a policy for them.
     *
     * @throws IllegalArgumentException if a worker brings what the policy does not ask for, or not what it does
     */
    static List<DetectorInputs> of(Descriptor descriptor, Layout layout, Map<WorkerId, WorkerGradient> gradients) {
        boolean wanted = descriptor.detectors() != DetectorPolicy.NONE;
        List<DetectorInputs> inputs = new ArrayList<>();
        for (WorkerId worker : layout.workers()) {
            Optional<DetectorInputs> one =
                    Optional.ofNullable(gradients.get(worker)).flatMap(WorkerGradient::detectors);
            if (one.isPresent() != wanted
                    || !one.map(DetectorInputs::worker).orElse(worker).equals(worker)) {
                throw new IllegalArgumentException("the detector policy is %s, worker %s comes with inputs for it: %s"
                        .formatted(descriptor.detectors().text(), worker, one));
            }
            one.ifPresent(inputs::add);
        }
        return inputs;
    }
}
