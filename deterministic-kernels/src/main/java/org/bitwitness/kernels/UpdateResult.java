package org.bitwitness.kernels;

/** What an update did. */
public enum UpdateResult {
    /** Tensors changed, the update count advanced. */
    UPDATED,
    /** A parameter or moment was not finite before or would be after: nothing changed, the count did not advance. */
    INVALID
}
