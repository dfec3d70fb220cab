package org.bitwitness.cli.run.check;

import org.bitwitness.kernels.program.LearningRate;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.format.RecordingPaths;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.record.Averaging;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.DetectorPolicy;
import org.bitwitness.protocol.record.Layout;
import org.bitwitness.protocol.record.Reduction;
import org.bitwitness.protocol.record.StepRecord;
import org.bitwitness.protocol.record.TracePolicy;
import org.bitwitness.protocol.record.WorkerRecord;

/**
 * Step records follow from each other, from the descriptor and from their own parts: states meet, layout, reduction,
 * learning rate, target counts, loss and clip factor are what their definitions give. Then the tree root and the chain
 * hash of every commitment.
 */
final class StepsCheck implements Check {
    @Override
    public String name() {
        return "step records";
    }

    @Override
    public String file() {
        return RecordingPaths.STEPS;
    }

    @Override
    public String run(Subject subject, Findings findings) throws ProtocolException {
        RecordingReader reader = subject.reader();
        StateRoot before = reader.open().stateRoot();
        Layout layout = reader.descriptor().layout();
        int commitment = 1;
        for (long t = 0; t < reader.stepCount(); t++) {
            StepRecord record = reader.stepRecord(new StepIndex(t));
            new StepRules(reader.descriptor(), record, findings).check(before, layout);
            before = record.stateRootAfter();
            layout = record.layout();
            while (commitment < reader.commitments().size()
                    && reader.commitments().get(commitment).endStep() == t + 1) {
                Commitment made = reader.commitments().get(commitment++);
                findings.expect(
                        RecordingPaths.commitment(made.sequence()).text(), "stateRoot", before, made.stateRoot());
            }
        }
        reader.checkSteps();
        return "%d of %d, tree root and chain hash of every commitment"
                .formatted(reader.stepCount(), reader.descriptor().schedule().steps());
    }

    /** The rules of one record. */
    private record StepRules(Descriptor descriptor, StepRecord record, Findings findings) {
        void check(StateRoot before, Layout layoutBefore) {
            expect("stateRootBefore", before, record.stateRootBefore());
            if (!descriptor.permits(record.layout(), record.step(), layoutBefore)) {
                Layout planned = descriptor.plannedLayout(record.step(), layoutBefore);
                expect("layout", planned.workers(), record.layout().workers());
            }
            reduction();
            expect("averaging", descriptor.aggregation().averaging(), record.averaging());
            double rate = LearningRate.at(descriptor.schedule(), record.step().value());
            expect("learningRate", bits(rate), bits(record.learningRate()));
            if (descriptor.detectors() == DetectorPolicy.NONE) {
                expect("detectorDigest", StepRecord.NO_DETECTORS, record.detectorDigest());
            }
            expect(
                    "exactExponentsRoot present",
                    descriptor.aggregation().reduction().equals(Reduction.EXACT),
                    record.exactExponentsRoot().isPresent());
            checkCounts();
            if (record.valid()) {
                checkSums();
            }
        }

        /** The tree, or the rule, of as many workers as the step has. */
        private void reduction() {
            try {
                expect("reduction", descriptor.reductionText(record.layout()), record.reduction());
            } catch (IllegalArgumentException e) {
                expect("reduction", String.valueOf(e.getMessage()), record.reduction());
            }
        }

        private void checkCounts() {
            long targets = descriptor.data().microBatches() * descriptor.data().targetsOfMicroBatch();
            long all = 0;
            for (WorkerRecord worker : record.workers()) {
                String who = "worker " + worker.worker() + " ";
                expect(
                        who + "microBatches",
                        descriptor.data().microBatches(),
                        worker.microBatches().size());
                expect(who + "targetCount", targets, worker.targetCount());
                expect(
                        who + "traceRoot present",
                        descriptor.trace() != TracePolicy.NONE,
                        worker.traceRoot().isPresent());
                all += worker.targetCount();
            }
            expect("targetCount", all, record.targetCount());
        }

        private void checkSums() {
            expect("loss", bits(loss()), bits(record.loss()));
            double ratio = descriptor.optimizer().maxNorm() / (record.norm() + 1e-6);
            expect("clip", bits((float) Math.min(1.0, ratio)), bits(record.clip()));
            boolean finite = Double.isFinite(record.norm()) && Float.isFinite(record.loss());
            expect("valid", finite && record.targetCount() > 0, true);
        }

        private float loss() {
            double sum = 0;
            boolean byTokens = record.averaging() == Averaging.TOKENS;
            for (WorkerRecord worker : record.workers()) {
                sum += byTokens ? worker.lossSum() : worker.lossSum() / (double) worker.targetCount();
            }
            double divisor = byTokens
                    ? (double) record.targetCount()
                    : (double) record.workers().size();
            return (float) (sum / divisor);
        }

        private void expect(String field, Object expected, Object found) {
            long first = descriptor.storage().segmentStart(record.step().value());
            String file = RecordingPaths.steps(first).text();
            findings.expect(file, "step " + record.step() + " " + field, expected, found);
        }

        private static String bits(double value) {
            return "%016x (%s)".formatted(Double.doubleToRawLongBits(value), value);
        }

        private static String bits(float value) {
            return "%08x (%s)".formatted(Float.floatToRawIntBits(value), value);
        }
    }
}
