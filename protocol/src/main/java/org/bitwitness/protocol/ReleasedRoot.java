package org.bitwitness.protocol;

/** Root of the released folder as an OMS model signature names it. */
public record ReleasedRoot(Sha256 digest) {

    public String hex() {
        return digest.hex();
    }

    @Override
    public String toString() {
        return hex();
    }
}
