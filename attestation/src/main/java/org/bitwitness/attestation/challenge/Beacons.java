package org.bitwitness.attestation.challenge;

import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.statement.Beacon;
import org.bitwitness.attestation.statement.LogPosition;
import org.bitwitness.attestation.trust.TrustPolicy;

/** From what a challenge says about its randomness to randomness that was checked. */
final class Beacons {
    private Beacons() {}

    static org.bitwitness.protocol.audit.Beacon verified(Beacon beacon, LogPosition position, TrustPolicy trust)
            throws AttestationException {
        return switch (beacon) {
            case Beacon.WitnessVrf witnesses -> WitnessBeacons.verify(witnesses, position, trust);
            case Beacon.VrfOnly none -> new org.bitwitness.protocol.audit.Beacon.VrfOnly();
            case Beacon.Drand drand -> throw drandIsNotInThisVersion();
        };
    }

    static AttestationException drandIsNotInThisVersion() {
        return AttestationException.inconclusive(
                "beacon mode drand is not in this version, which knows witness-vrf and vrf-only: a newer one can decide");
    }
}
