package org.bitwitness.attestation.keys;

import java.util.Map;
import org.bouncycastle.asn1.ASN1Encodable;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;

/** Names for the object identifiers that people hand us by mistake, so that a refusal can say what was found. */
final class KeyNames {
    private static final Map<String, String> CURVES = Map.of(
            "1.2.840.10045.3.1.7", "P-256",
            "1.3.132.0.34", "P-384",
            "1.3.132.0.35", "P-521",
            "1.3.132.0.10", "secp256k1");
    private static final Map<String, String> ALGORITHMS = Map.of(
            "1.2.840.113549.1.1.1", "RSA",
            "1.3.101.112", "Ed25519",
            "1.3.101.113", "Ed448",
            "1.2.840.10045.2.1", "EC");

    private KeyNames() {}

    static String curve(ASN1Encodable parameters) {
        return parameters instanceof ASN1ObjectIdentifier oid
                ? CURVES.getOrDefault(oid.getId(), oid.getId())
                : "given by parameters";
    }

    static String algorithm(ASN1ObjectIdentifier oid) {
        return ALGORITHMS.getOrDefault(oid.getId(), oid.getId());
    }
}
