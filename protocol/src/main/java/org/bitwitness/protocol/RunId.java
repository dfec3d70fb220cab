package org.bitwitness.protocol;

/** Name of a run: SHA-256 of its OPEN commitment, with the three fields that depend on the name left out. */
public record RunId(Sha256 digest) {

    public String hex() {
        return digest.hex();
    }

    @Override
    public String toString() {
        return hex();
    }
}
