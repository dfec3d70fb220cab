package org.bitwitness.protocol;

/** SHA-256 of the bytes of {@code descriptor.json}. */
public record DescriptorDigest(Sha256 digest) {

    public String hex() {
        return digest.hex();
    }

    @Override
    public String toString() {
        return hex();
    }
}
