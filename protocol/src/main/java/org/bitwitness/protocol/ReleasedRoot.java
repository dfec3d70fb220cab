package org.bitwitness.protocol;

/** Root of the released folder as an OMS model signature names it. */
public record ReleasedRoot(Sha256 digest) {
    public static ReleasedRoot ofHex(String hex) {
        return new ReleasedRoot(Sha256.ofHex(hex));
    }

    public String hex() {
        return digest.hex();
    }

    @Override
    public String toString() {
        return hex();
    }
}
