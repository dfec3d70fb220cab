package org.bitwitness.protocol.audit;

import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.bytes.CanonicalEncoder;
import org.bitwitness.protocol.record.BeaconMode;
import org.bitwitness.protocol.tensor.Utf8Order;

/** The public randomness of a challenge, which did not exist before the commitment was logged. */
public sealed interface Beacon {
    /** A drand round, chosen by rule, with its signature. */
    record Drand(long round, String signatureHex) implements Beacon {
        public Drand {
            if (round < 1 || !signatureHex.matches("(?:[0-9a-f]{2})+")) {
                throw new IllegalArgumentException("a drand round has a number from 1 and a signature in hex");
            }
        }
    }

    /** {@link #ofWitnesses} over the outputs of every required witness. */
    record WitnessVrf(Sha256 value) implements Beacon {}

    /** None: only the auditor's own key makes the draw. */
    record VrfOnly() implements Beacon {}

    default BeaconMode mode() {
        return switch (this) {
            case Drand drand -> BeaconMode.DRAND;
            case WitnessVrf witnesses -> BeaconMode.WITNESS_VRF;
            case VrfOnly none -> BeaconMode.VRF_ONLY;
        };
    }

    /**
     * {@code H(beacon, [beta…])} over witnesses in the order of their names' UTF-8 bytes.
     *
     * @param betaByName output of each witness's function, 32 bytes
     */
    static WitnessVrf ofWitnesses(Map<String, Sha256> betaByName) {
        if (betaByName.isEmpty()) {
            throw new IllegalArgumentException("a beacon of no witnesses is nobody's");
        }
        Map<String, Sha256> ordered = new TreeMap<>(Utf8Order.COMPARATOR);
        ordered.putAll(betaByName);
        List<byte[]> betas = ordered.values().stream().map(Sha256::bytes).toList();
        return new WitnessVrf(CanonicalEncoder.of("beacon").list(betas).hash());
    }

    /** Appends this beacon's fields to a seed. */
    private static CanonicalEncoder append(CanonicalEncoder out, Beacon beacon) {
        return switch (beacon) {
            case Drand drand -> out.u64(drand.round()).bytes(HexFormat.of().parseHex(drand.signatureHex()));
            case WitnessVrf witnesses -> out.digest(witnesses.value());
            case VrfOnly none -> out;
        };
    }

    /** The beacon's part of {@link ChallengeSeed#alpha}. */
    default CanonicalEncoder appendTo(CanonicalEncoder out) {
        return append(out.text(mode().text()), this);
    }
}
