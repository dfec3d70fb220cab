package org.bitwitness.attestation.challenge;

import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.attestation.statement.BeaconEvidence;
import org.bitwitness.attestation.statement.LogPosition;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.trust.WitnessIdentity;
import org.bitwitness.attestation.vrf.EcVrfP256;
import org.bitwitness.attestation.vrf.VrfProof;
import org.bitwitness.attestation.witness.BeaconRequest;
import org.bitwitness.attestation.witness.WitnessClient;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.audit.Beacon;

/** Beacons of mode {@code witness-vrf}: asking every witness of the quorum, and checking what they answered. */
public final class WitnessBeacons {
    private WitnessBeacons() {}

    /**
     * Asks every witness that the policy's quorum names, at the URL in the policy.
     *
     * @throws AttestationException inconclusive, if one does not answer: then the commitment stays unchallenged
     */
    public static BeaconEvidence.WitnessVrf collect(LogPosition position, TrustPolicy trust)
            throws AttestationException {
        List<BeaconEvidence.WitnessProof> proofs = new ArrayList<>();
        for (WitnessIdentity witness : trust.witnesses().beaconWitnesses()) {
            URI url = witness.url()
                    .orElseThrow(() -> AttestationException.environment(
                            "the policy has no URL for witness %s: add it to its line".formatted(witness.name())));
            VrfProof proof;
            try {
                proof = new WitnessClient(witness, url).beacon(request(position));
            } catch (AttestationException e) {
                throw new AttestationException(
                        AttestationException.Kind.INCONCLUSIVE,
                        "no beacon, so nothing is drawn (NOT_CHALLENGED while it lasts): " + e.getMessage(),
                        e);
            }
            proofs.add(new BeaconEvidence.WitnessProof(witness.key().name(), proof));
        }
        BeaconEvidence.WitnessVrf beacon = new BeaconEvidence.WitnessVrf(proofs);
        verify(beacon, position, trust);
        return beacon;
    }

    /**
     * Checks every proof under the policy's keys.
     *
     * @return the randomness
     * @throws AttestationException refused, if a required witness is missing, another one is there, or a proof is not
     *     that witness's for this place in the log
     */
    public static Beacon.WitnessVrf verify(BeaconEvidence.WitnessVrf beacon, LogPosition position, TrustPolicy trust)
            throws AttestationException {
        Map<String, VrfProof> proofs = new HashMap<>();
        beacon.proofs().forEach(p -> proofs.put(p.name(), p.proof()));
        Map<String, Sha256> betas = new HashMap<>();
        for (WitnessIdentity witness : trust.witnesses().beaconWitnesses()) {
            String name = witness.key().name();
            VrfProof proof = proofs.remove(name);
            if (proof == null) {
                throw AttestationException.refused(
                        "the beacon lacks witness \"%s\", which the policy requires: whoever drew could choose without it"
                                .formatted(name));
            }
            betas.put(name, output(witness, proof, position, trust));
        }
        if (!proofs.isEmpty()) {
            throw AttestationException.refused(
                    "the beacon has witnesses %s, which the policy does not require: they would change the draw"
                            .formatted(proofs.keySet().stream().sorted().toList()));
        }
        return Beacon.ofWitnesses(betas);
    }

    private static Sha256 output(WitnessIdentity witness, VrfProof proof, LogPosition position, TrustPolicy trust)
            throws AttestationException {
        VerifyingKey key = trust.vrfKeyOf(witness)
                .orElseThrow(() -> AttestationException.environment(
                        "no beacon key for witness %s: put its P-256 public key into trust/%s/%s.pem"
                                .formatted(witness.name(), TrustPolicy.WITNESS_VRF, witness.name())));
        return EcVrfP256.verify(key, request(position).alpha(), proof)
                .orElseThrow(() -> AttestationException.refused(
                        "the beacon proof of witness \"%s\" is not its own for %s, tree size %d, entry %d"
                                .formatted(
                                        witness.key().name(),
                                        position.origin(),
                                        position.treeSize(),
                                        position.leafIndex())));
    }

    private static BeaconRequest request(LogPosition position) {
        return new BeaconRequest(position.origin(), position.treeSize(), position.root(), position.leafIndex());
    }
}
