package org.bitwitness.recorder.train;

import java.nio.file.Path;
import java.util.List;
import org.bitwitness.protocol.DescriptorDigest;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.record.AuditPolicy;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.OpenExt;
import org.bitwitness.protocol.record.PlantedFault;

/**
 * What is to be trained and where it is recorded.
 *
 * @param dataset folder
 * @param recording folder; new, or there already where {@code resume}
 * @param trainerKey DER SubjectPublicKeyInfo of the key whose signatures will count for this run
 * @param faults to plant, in a drill
 */
public record TrainingRun(
        Descriptor descriptor,
        Path dataset,
        Path recording,
        boolean resume,
        TrainerKey trainerKey,
        AuditPolicy policy,
        List<PlantedFault> faults) {
    public TrainingRun {
        faults = List.copyOf(faults);
    }

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
