package org.bitwitness.protocol;

/** Root over a worker's gradient tensors, after accumulation, as handed to the reduction. */
public record GradientRoot(Sha256 digest) {

    public String hex() {
        return digest.hex();
    }

    @Override
    public String toString() {
        return hex();
    }
}
