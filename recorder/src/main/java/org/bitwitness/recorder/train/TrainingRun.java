package org.bitwitness.recorder.train;

import java.nio.file.Path;
import java.util.Optional;
import org.bitwitness.protocol.DescriptorDigest;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.record.AuditPolicy;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.OpenExt;

/**
 * What is to be trained and where it is recorded.
 *
 * @param dataset folder
 * @param recording folder; new, or there already where {@code resume}
 * @param trainerKey DER SubjectPublicKeyInfo of the key whose signatures will count for this run
 * @param drill a fault to plant
 */
public record TrainingRun(
        Descriptor descriptor,
        Path dataset,
        Path recording,
        boolean resume,
        TrainerKey trainerKey,
        AuditPolicy policy,
        Optional<TrainConfig.DrillPlan> drill) {

    /** A public key, as OPEN names it. */
    public static final class TrainerKey {
        private final byte[] spki;

        public TrainerKey(byte[] spki) {
            this.spki = spki.clone();
        }

        byte[] spki() {
            return spki.clone();
        }
    }

    OpenExt open(DescriptorDigest digest, StateRoot initial) {
        return OpenExt.of(digest, descriptor.data().datasetRoot(), initial, trainerKey.spki(), policy);
    }
}
