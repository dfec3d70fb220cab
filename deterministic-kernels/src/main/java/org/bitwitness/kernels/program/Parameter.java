package org.bitwitness.kernels.program;

import org.bitwitness.protocol.tensor.Shape;

/**
 * A trainable tensor.
 *
 * @param index position in the manifest, from 0; part of the initial-weight counter
 * @param name Hugging Face {@code state_dict} name
 * @param shape as stored
 * @param decays whether AdamW's weight decay applies: two dimensions or more
 * @param init how it starts
 */
public record Parameter(int index, String name, Shape shape, boolean decays, Init init) {
    /** Initial contents. */
    public enum Init {
        /** Drawn, with the model's standard deviation. */
        NORMAL,
        /** Drawn, with the standard deviation of residual projections. */
        NORMAL_PROJECTION,
        ONES,
        ZEROS
    }

    public int size() {
        return Math.toIntExact(shape.elementCount());
    }
}
