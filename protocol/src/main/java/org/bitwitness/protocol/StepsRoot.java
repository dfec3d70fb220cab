package org.bitwitness.protocol;

/** RFC 9162 tree hash over the step records from step 0. */
public record StepsRoot(Sha256 digest) {

    public String hex() {
        return digest.hex();
    }

    @Override
    public String toString() {
        return hex();
    }
}
