package org.bitwitness.cli.run.check;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.format.RecordingPaths;
import org.bitwitness.protocol.record.DetectorInputs;
import org.bitwitness.protocol.record.DetectorPolicy;
import org.bitwitness.protocol.record.StepRecord;

/**
 * What is recorded for detectors has one entry for each worker of each step, in the order of the layout, and hashes to the
 * step record's digest. Whether the numbers are those of the gradients only a replay can say.
 */
final class DetectorsCheck implements Check {
    @Override
    public String name() {
        return "detector inputs";
    }

    @Override
    public String file() {
        return RecordingPaths.DETECTORS;
    }

    @Override
    public String run(Subject subject, Findings findings) throws ProtocolException {
        Set<RecordingPath> segments = segments(subject);
        for (RecordingPath path : subject.reader().files()) {
            if (path.topFolder().equals(RecordingPaths.DETECTORS) && !segments.contains(path)) {
                findings.add(Difference.of(path.text(), "", "no such file in this run", "present"));
            }
        }
        if (subject.descriptor().detectors() == DetectorPolicy.NONE) {
            return "the descriptor's policy is none: there is nothing to compare";
        }
        for (long t = 0; t < subject.reader().stepCount(); t++) {
            StepRecord record = subject.reader().stepRecord(new StepIndex(t));
            String file = RecordingPaths.detectors(
                            subject.descriptor().storage().segmentStart(t))
                    .text();
            String place = "step " + t + " ";
            List<DetectorInputs> inputs = subject.reader().detectors(record.step());
            List<WorkerId> workers = inputs.stream().map(DetectorInputs::worker).toList();
            findings.expect(file, place + "workers", record.layout().workers(), workers);
            findings.expect(file, place + "detectorDigest", record.detectorDigest(), DetectorInputs.digest(inputs));
            for (DetectorInputs worker : inputs) {
                // A valid step has finite gradients; a norm is never negative.
                boolean possible = worker.norm() >= 0 && Double.isFinite(worker.norm());
                findings.expect(
                        file,
                        place + "worker " + worker.worker() + " has a norm that can be",
                        true,
                        possible || !record.valid());
            }
        }
        return "norm and sketch of every worker of %d steps, each step as its record's digest says"
                .formatted(subject.reader().stepCount());
    }

    private static Set<RecordingPath> segments(Subject subject) {
        Set<RecordingPath> paths = new TreeSet<>();
        if (subject.descriptor().detectors() != DetectorPolicy.NONE) {
            int steps = subject.descriptor().storage().stepsPerSegment();
            for (long t = 0; t < subject.reader().stepCount(); t += steps) {
                paths.add(RecordingPaths.detectors(t));
            }
        }
        return paths;
    }
}
