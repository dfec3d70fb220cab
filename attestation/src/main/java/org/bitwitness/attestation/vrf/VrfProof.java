package org.bitwitness.attestation.vrf;

import java.util.Arrays;
import java.util.HexFormat;
import org.bitwitness.attestation.AttestationException;

/** The 81 bytes of an {@link EcVrfP256} proof. Holding one says nothing: only {@link EcVrfP256#verify} does. */
@SuppressWarnings("ArrayRecordComponent") // copied in and out, compared by content
public record VrfProof(byte[] bytes) {
    public VrfProof {
        if (bytes.length != EcVrfP256.PROOF_BYTES) {
            throw new IllegalArgumentException(
                    "a VRF proof has %d bytes, got %d".formatted(EcVrfP256.PROOF_BYTES, bytes.length));
        }
        bytes = bytes.clone();
    }

    /** Reads lower-case hex from outside. */
    public static VrfProof ofHex(String hex) throws AttestationException {
        if (hex.length() != 2 * EcVrfP256.PROOF_BYTES || !hex.equals(hex.toLowerCase(java.util.Locale.ROOT))) {
            throw AttestationException.malformed("a VRF proof is %d lower-case hex digits, got %d characters"
                    .formatted(2 * EcVrfP256.PROOF_BYTES, hex.length()));
        }
        try {
            return new VrfProof(HexFormat.of().parseHex(hex));
        } catch (IllegalArgumentException e) {
            throw AttestationException.malformed("a VRF proof is hex: %s".formatted(e.getMessage()));
        }
    }

    @Override
    public byte[] bytes() {
        return bytes.clone();
    }

    public String hex() {
        return HexFormat.of().formatHex(bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof VrfProof proof && Arrays.equals(bytes, proof.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return hex();
    }
}
