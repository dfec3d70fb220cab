package org.bitwitness.recorder;

import java.util.List;
import java.util.Optional;
import org.bitwitness.protocol.GradientRoot;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.TraceRoot;
import org.bitwitness.protocol.record.DetectorInputs;

/**
 * What a worker computed in a step.
 *
 * @param gradientRoot root over its gradients after accumulation
 * @param lossSum sum of its token losses in binary64
 * @param targetCount its counted targets
 * @param traceRoot by the trace policy
 * @param traceOutputs for the policy {@code operators}: roots of the outputs of every trace entry
 * @param detectors norm and sketch of the gradient, where the run records them
 */
public record WorkerGradient(
        GradientRoot gradientRoot,
        double lossSum,
        long targetCount,
        Optional<TraceRoot> traceRoot,
        List<List<Sha256>> traceOutputs,
        Optional<DetectorInputs> detectors) {
    public WorkerGradient {
        traceOutputs = List.copyOf(traceOutputs);
    }

    /** Of a run that records nothing for detectors. */
    public WorkerGradient(
            GradientRoot gradientRoot,
            double lossSum,
            long targetCount,
            Optional<TraceRoot> traceRoot,
            List<List<Sha256>> traceOutputs) {
        this(gradientRoot, lossSum, targetCount, traceRoot, traceOutputs, Optional.empty());
    }
}
