package org.bitwitness.protocol.record;

import java.time.Duration;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.bytes.CanonicalDecoder;
import org.bitwitness.protocol.bytes.CanonicalEncoder;

/**
 * What a trainer promises before the run about how it will be audited.
 *
 * @param population kinds of units that are drawn from, in order: {@code INIT,STEP,FINAL}
 * @param unitsPerAuditor units that a challenge draws for one auditor
 * @param minimumReplicas independent auditors that a step needs to count as covered
 * @param deadline after the challenge; units unanswered then are INCONCLUSIVE; whole seconds
 */
public record AuditPolicy(
        String population, int unitsPerAuditor, int minimumReplicas, BeaconMode beaconMode, Duration deadline) {
    public AuditPolicy {
        if (!population.matches("[A-Z]{1,16}(,[A-Z]{1,16}){0,15}")) {
            throw new IllegalArgumentException(
                    "a population is kinds of units like INIT,STEP,FINAL, got \"" + population + "\"");
        }
        if (unitsPerAuditor < 1 || minimumReplicas < 1) {
            throw new IllegalArgumentException("need at least one unit and one replica, got %d and %d"
                    .formatted(unitsPerAuditor, minimumReplicas));
        }
        if (deadline.isNegative() || !deadline.equals(Duration.ofSeconds(deadline.toSeconds()))) {
            throw new IllegalArgumentException("a deadline is whole seconds, got " + deadline);
        }
    }

    /** For people: {@code 24 h}, {@code 90 s}. */
    public String deadlineText() {
        long seconds = deadline.toSeconds();
        return seconds > 0 && seconds % 3600 == 0 ? deadline.toHours() + " h" : seconds + " s";
    }

    byte[] toBytes() {
        return CanonicalEncoder.of("policy")
                .text(population)
                .u64(unitsPerAuditor)
                .u64(minimumReplicas)
                .text(beaconMode.text())
                .u64(deadline.toSeconds())
                .toBytes();
    }

    static AuditPolicy decode(byte[] encoded) throws ProtocolException {
        CanonicalDecoder in = CanonicalDecoder.open(encoded, "policy");
        String population = in.text("population", 512);
        int units = in.count("unitsPerAuditor", Integer.MAX_VALUE);
        int replicas = in.count("minimumReplicas", Integer.MAX_VALUE);
        String mode = in.text("beaconMode", 32);
        long seconds = in.u64("deadline");
        return in.build(() ->
                new AuditPolicy(population, units, replicas, BeaconMode.ofText(mode), Duration.ofSeconds(seconds)));
    }
}
