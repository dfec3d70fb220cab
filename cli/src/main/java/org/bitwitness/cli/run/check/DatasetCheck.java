package org.bitwitness.cli.run.check;

import org.bitwitness.datasets.Dataset;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.format.RecordingPaths;

/** The dataset's root follows from its documents and is the one that OPEN and the descriptor name. */
final class DatasetCheck implements Check {
    @Override
    public String name() {
        return "dataset";
    }

    @Override
    public String file() {
        return RecordingPaths.DATASET;
    }

    @Override
    public String run(Subject subject, Findings findings) throws ProtocolException, DatasetException {
        if (!subject.reader().store().exists(RecordingPaths.DATASET_MANIFEST)) {
            throw ProtocolException.missing("%s: the file is missing", RecordingPaths.DATASET_MANIFEST);
        }
        Dataset dataset = subject.dataset().isPresent()
                ? subject.dataset().get()
                : Dataset.open(subject.folder().resolve(RecordingPaths.DATASET));
        String manifest = RecordingPaths.DATASET_MANIFEST.text();
        findings.expect(manifest, "root", subject.descriptor().data().datasetRoot(), dataset.root());
        findings.expect(
                "commitments/0000.bin",
                "datasetRoot",
                subject.descriptor().data().datasetRoot(),
                subject.reader().open().open().orElseThrow().datasetRoot());
        findings.expect(
                manifest,
                "tokenizer digest",
                subject.descriptor().tokenizer().digest(),
                dataset.manifest().tokenizer().digest());
        findings.expect(
                manifest,
                "vocab",
                subject.descriptor().model().vocab(),
                dataset.manifest().tokenizer().vocab());
        dataset.verify();
        return "%d documents give the %d tokens of the committed root"
                .formatted(
                        dataset.manifest().documentCount(), dataset.manifest().tokenCount());
    }
}
