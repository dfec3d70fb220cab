package org.bitwitness.cli.run;

import java.util.List;
import java.util.Optional;
import org.bitwitness.protocol.CombinedRoot;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.record.Averaging;
import org.bitwitness.protocol.record.Layout;
import org.bitwitness.protocol.record.StepRecord;
import org.bitwitness.protocol.record.WorkerRecord;

/** A step record with some fields changed. */
final class Edit {
    private final StepRecord from;
    private RunId run;
    private StepIndex step;
    private boolean valid;
    private StateRoot before;
    private StateRoot after;
    private Layout layout;
    private String reduction;
    private Averaging averaging;
    private long targetCount;
    private double learningRate;
    private List<WorkerRecord> workers;
    private Optional<Sha256> exponents;
    private float clip;
    private float loss;
    private Sha256 detectors;

    private Edit(StepRecord r) {
        from = r;
        run = r.runId();
        step = r.step();
        valid = r.valid();
        before = r.stateRootBefore();
        after = r.stateRootAfter();
        layout = r.layout();
        reduction = r.reduction();
        averaging = r.averaging();
        targetCount = r.targetCount();
        learningRate = r.learningRate();
        workers = r.workers();
        exponents = r.exactExponentsRoot();
        clip = r.clip();
        loss = r.loss();
        detectors = r.detectorDigest();
    }

    static Edit of(StepRecord record) {
        return new Edit(record);
    }

    Edit run(RunId value) {
        run = value;
        return this;
    }

    Edit step(StepIndex value) {
        step = value;
        return this;
    }

    Edit valid(boolean value) {
        valid = value;
        return this;
    }

    Edit before(StateRoot value) {
        before = value;
        return this;
    }

    Edit after(StateRoot value) {
        after = value;
        return this;
    }

    /** Workers in another order, with the layout that goes with it. */
    Edit workers(List<WorkerRecord> value) {
        workers = value;
        layout = new Layout(value.stream().map(WorkerRecord::worker).toList());
        return this;
    }

    Edit reduction(String value) {
        reduction = value;
        return this;
    }

    Edit averaging(Averaging value) {
        averaging = value;
        return this;
    }

    Edit targetCount(long value) {
        targetCount = value;
        return this;
    }

    Edit learningRate(double value) {
        learningRate = value;
        return this;
    }

    Edit exponents(Optional<Sha256> value) {
        exponents = value;
        return this;
    }

    Edit clip(float value) {
        clip = value;
        return this;
    }

    Edit loss(float value) {
        loss = value;
        return this;
    }

    Edit detectors(Sha256 value) {
        detectors = value;
        return this;
    }

    StepRecord build() {
        return new StepRecord(
                run,
                step,
                valid,
                before,
                after,
                layout,
                reduction,
                averaging,
                targetCount,
                learningRate,
                workers,
                new CombinedRoot(from.combinedRoot().digest()),
                exponents,
                from.norm(),
                clip,
                loss,
                detectors);
    }
}
