package org.bitwitness.attestation.challenge;

import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.statement.BeaconEvidence;
import org.bitwitness.attestation.statement.LogPosition;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.protocol.audit.Beacon;

/** From what a challenge says about its randomness to randomness that was checked. */
final class Beacons {
    private Beacons() {}

    static Beacon verified(BeaconEvidence beacon, LogPosition position, TrustPolicy trust) throws AttestationException {
        return switch (beacon) {
            case BeaconEvidence.WitnessVrf witnesses -> WitnessBeacons.verify(witnesses, position, trust);
            case BeaconEvidence.VrfOnly none -> new Beacon.VrfOnly();
            case BeaconEvidence.Drand drand -> DrandBeacons.verify(drand, position, trust);
        };
    }
}
