package org.bitwitness.protocol;

/** Hash chain over the step records so far; before the first step it is the run id. */
public record ChainHash(Sha256 digest) {

    public String hex() {
        return digest.hex();
    }

    @Override
    public String toString() {
        return hex();
    }
}
