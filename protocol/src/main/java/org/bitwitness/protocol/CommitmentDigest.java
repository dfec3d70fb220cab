package org.bitwitness.protocol;

/** SHA-256 of a commitment's canonical bytes. */
public record CommitmentDigest(Sha256 digest) {
    public static CommitmentDigest ofHex(String hex) {
        return new CommitmentDigest(Sha256.ofHex(hex));
    }

    public String hex() {
        return digest.hex();
    }

    @Override
    public String toString() {
        return hex();
    }
}
