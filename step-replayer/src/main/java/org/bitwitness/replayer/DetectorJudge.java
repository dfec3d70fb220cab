package org.bitwitness.replayer;

import java.util.List;
import java.util.Optional;
import org.bitwitness.kernels.GradientSketch;
import org.bitwitness.kernels.StepEngine;
import org.bitwitness.kernels.trace.TraceSink;
import org.bitwitness.protocol.Phase;
import org.bitwitness.protocol.Resolution;
import org.bitwitness.protocol.record.DetectorInputs;
import org.bitwitness.replayer.StepReplay.WorkerReplay;

/**
 * Compares what is recorded of a worker's gradient for detectors with the gradient that was replayed: a trainer that
 * shows detectors a tamer gradient than it used is named like one that used another gradient.
 */
final class DetectorJudge {
    static final String NORM = "detector.norm";
    static final String SKETCH = "detector.sketch";

    private final CommittedRun run;
    private final StepReplay runner;

    DetectorJudge(CommittedRun run, StepReplay runner) {
        this.run = run;
        this.runner = runner;
    }

    Optional<Difference> worker(StepInputs in, int position, WorkerReplay replay) throws StoreDamage {
        Optional<List<DetectorInputs>> recorded = run.detectors(in.record());
        if (recorded.isEmpty()) {
            return Optional.empty();
        }
        DetectorInputs said = recorded.get().get(position);
        GradientSketch computed = sketch(replay);
        Where where = Where.in(in.record().step()).phase(Phase.EMIT).worker(said.worker());
        String who = "worker " + said.worker() + "'s gradient is equal, ";
        if (Double.doubleToLongBits(said.norm()) != Double.doubleToLongBits(computed.norm())) {
            return Optional.of(new Difference(
                    where.tensor(NORM)
                            .bits(said.norm(), computed.norm())
                            .at(Resolution.TENSOR, who + "its norm for detectors is not"),
                    Disputed.value(NORM, said.norm()),
                    Disputed.value(NORM, computed.norm()),
                    other -> Disputed.value(NORM, again(in, position, other).norm())));
        }
        for (int i = 0; i < DetectorInputs.SKETCH_SIZE; i++) {
            int at = i;
            float expected = said.sketch()[i];
            float found = computed.sketch()[i];
            if (Float.floatToIntBits(expected) != Float.floatToIntBits(found)) {
                return Optional.of(new Difference(
                        where.tensor(SKETCH)
                                .index(i)
                                .bits(expected, found)
                                .at(Resolution.ELEMENT, who + "its sketch for detectors is not"),
                        Disputed.value(SKETCH, expected),
                        Disputed.value(SKETCH, found),
                        other -> Disputed.value(
                                SKETCH, again(in, position, other).sketch()[at])));
            }
        }
        return Optional.empty();
    }

    private GradientSketch again(StepInputs in, int position, StepEngine other) {
        return sketch(runner.on(other).worker(in, position, false, TraceSink.NONE));
    }

    private GradientSketch sketch(WorkerReplay replay) {
        return GradientSketch.of(replay.result().gradients(), run.descriptor().seed());
    }
}
