package org.bitwitness.protocol;

/** Root over the gradient tensors that all workers' gradients became, before clipping. */
public record CombinedRoot(Sha256 digest) {

    public String hex() {
        return digest.hex();
    }

    @Override
    public String toString() {
        return hex();
    }
}
