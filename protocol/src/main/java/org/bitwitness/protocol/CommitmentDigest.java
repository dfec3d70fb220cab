package org.bitwitness.protocol;

/** SHA-256 of a commitment's canonical bytes. */
public record CommitmentDigest(Sha256 digest) {

    public String hex() {
        return digest.hex();
    }

    @Override
    public String toString() {
        return hex();
    }
}
