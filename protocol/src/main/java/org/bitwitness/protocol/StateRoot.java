package org.bitwitness.protocol;

/** Root over everything that the next step reads: parameters, moments, scalars, profile and descriptor. */
public record StateRoot(Sha256 digest) {

    public String hex() {
        return digest.hex();
    }

    @Override
    public String toString() {
        return hex();
    }
}
