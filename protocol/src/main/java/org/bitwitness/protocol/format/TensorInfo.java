package org.bitwitness.protocol.format;

import org.bitwitness.protocol.tensor.DType;
import org.bitwitness.protocol.tensor.Shape;

/**
 * A tensor as a safetensors header describes it.
 *
 * @param begin first byte, counted from the end of the header
 * @param end byte after the last
 */
public record TensorInfo(String name, DType dtype, Shape shape, long begin, long end) {
    public long byteCount() {
        return end - begin;
    }
}
