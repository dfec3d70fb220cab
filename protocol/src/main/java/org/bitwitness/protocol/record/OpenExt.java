package org.bitwitness.protocol.record;

import java.util.HexFormat;
import org.bitwitness.protocol.DatasetRoot;
import org.bitwitness.protocol.DescriptorDigest;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.bytes.CanonicalDecoder;
import org.bitwitness.protocol.bytes.CanonicalEncoder;

/**
 * What OPEN, the first commitment of a run, says beyond every commitment.
 *
 * @param trainerKeyHex the trainer's public key, DER SubjectPublicKeyInfo in hex; its signatures count for this run
 */
public record OpenExt(
        DescriptorDigest descriptorDigest,
        DatasetRoot datasetRoot,
        StateRoot initialState,
        String trainerKeyHex,
        AuditPolicy policy) {
    private static final int MAX_KEY_BYTES = 4096;
    private static final int MAX_POLICY_BYTES = 4096;

    public OpenExt {
        if (trainerKeyHex.length() > 2 * MAX_KEY_BYTES || !trainerKeyHex.matches("(?:[0-9a-f]{2})+")) {
            throw new IllegalArgumentException("a trainer key is lower-case hex of its DER, and not empty");
        }
    }

    /** With the key as bytes. */
    public static OpenExt of(
            DescriptorDigest descriptor,
            DatasetRoot dataset,
            StateRoot initial,
            byte[] trainerSpki,
            AuditPolicy policy) {
        return new OpenExt(descriptor, dataset, initial, HexFormat.of().formatHex(trainerSpki), policy);
    }

    /** DER SubjectPublicKeyInfo. */
    public byte[] trainerSpki() {
        return HexFormat.of().parseHex(trainerKeyHex);
    }

    byte[] toBytes() {
        return CanonicalEncoder.of("open")
                .digest(descriptorDigest.digest())
                .digest(datasetRoot.digest())
                .digest(initialState.digest())
                .bytes(trainerSpki())
                .bytes(policy.toBytes())
                .toBytes();
    }

    static OpenExt decode(byte[] encoded) throws ProtocolException {
        CanonicalDecoder in = CanonicalDecoder.open(encoded, "open");
        Sha256 descriptor = in.digest("descriptorDigest");
        Sha256 dataset = in.digest("datasetRoot");
        Sha256 state = in.digest("initialState");
        byte[] spki = in.bytes("trainerSpki", MAX_KEY_BYTES);
        AuditPolicy policy = AuditPolicy.decode(in.bytes("policy", MAX_POLICY_BYTES));
        return in.build(() ->
                of(new DescriptorDigest(descriptor), new DatasetRoot(dataset), new StateRoot(state), spki, policy));
    }
}
