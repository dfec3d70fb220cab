package org.bitwitness.cli.run.check;

import java.nio.file.Path;
import java.util.Optional;
import org.bitwitness.attestation.log.LogReader;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.datasets.Dataset;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.datasets.SampleOrder;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.record.Descriptor;

/**
 * What is verified, and with whose trust.
 *
 * @param folder of the recording
 * @param dataset of the recording; empty when it cannot be opened, which its own check reports
 * @param trust keys, log and witnesses that the verifier accepts; empty when none were given
 * @param log to look the commitments up in; empty when none was given
 */
public record Subject(
        Path folder,
        RecordingReader reader,
        Optional<Dataset> dataset,
        Optional<TrustPolicy> trust,
        Optional<LogReader> log) {
    Descriptor descriptor() {
        return reader.descriptor();
    }

    /** Which sample is read when; empty without a dataset that has what the descriptor wants of it. */
    Optional<SampleOrder> order() {
        try {
            return dataset.isEmpty()
                    ? Optional.empty()
                    : Optional.of(
                            SampleOrder.of(descriptor().data(), dataset.get().manifest()));
        } catch (DatasetException e) {
            return Optional.empty();
        }
    }
}
