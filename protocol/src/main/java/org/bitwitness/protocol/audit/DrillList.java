package org.bitwitness.protocol.audit;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.bitwitness.protocol.DescriptorDigest;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.bytes.CanonicalEncoder;
import org.bitwitness.protocol.record.PlantedFault;

/**
 * The faults of one drill run, committed to before its training begins and opened after the audits. The salt keeps
 * anybody from finding the list by trying.
 *
 * @param descriptor of the run that has the faults
 * @param faults by step, one a step at most; none in a drill that only looks like one
 * @param salt 32 random bytes, secret until the opening
 */
public record DrillList(DescriptorDigest descriptor, List<PlantedFault> faults, Sha256 salt) {
    public static final int MAX_FAULTS = 1000;

    public DrillList {
        faults = List.copyOf(faults);
        if (faults.size() > MAX_FAULTS) {
            throw new IllegalArgumentException(
                    "a drill has %d faults at most, got %d".formatted(MAX_FAULTS, faults.size()));
        }
        Set<StepIndex> steps = new HashSet<>();
        long last = -1;
        for (PlantedFault fault : faults) {
            if (!steps.add(fault.step()) || fault.step().value() < last) {
                throw new IllegalArgumentException(
                        "faults stand by step, one a step, so that none hides another; step %s is out of place"
                                .formatted(fault.step()));
            }
            last = fault.step().value();
        }
    }

    /** {@code H(drill, salt, descriptor digest, list of faults)}: what is logged before training. */
    public Sha256 commitment() {
        return CanonicalEncoder.of("drill")
                .digest(salt)
                .digest(descriptor.digest())
                .list(faults.stream().map(PlantedFault::toBytes).toList())
                .hash();
    }
}
