package org.bitwitness.recorder;

import java.util.Optional;
import org.bitwitness.protocol.CombinedRoot;
import org.bitwitness.protocol.Sha256;

/**
 * What the reduction of a step gave. The rule itself is the descriptor's.
 *
 * @param valid false for an INVALID step
 * @param targetCount counted targets of all workers
 * @param learningRate of the step, binary64
 * @param combinedRoot root over the combined gradient before clipping
 * @param exactExponentsRoot for EXACT
 * @param norm of the combined gradient, binary64
 * @param clip factor that the update multiplies with
 */
public record ReductionFacts(
        boolean valid,
        long targetCount,
        double learningRate,
        CombinedRoot combinedRoot,
        Optional<Sha256> exactExponentsRoot,
        double norm,
        float clip,
        float loss) {}
