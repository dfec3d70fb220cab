package org.bitwitness.kernels.ptx;

/**
 * A declared piece of memory: a parameter, a table or an array of shared memory.
 *
 * @param space {@code param}, {@code shared}, {@code const}, {@code global} or {@code local}
 * @param bytes 0 when the size comes with the launch ({@code .extern .shared})
 * @param initial little-endian content, shorter than {@code bytes} when the rest is zero
 */
public record PtxVariable(String space, String name, PtxType type, int align, long bytes, PtxBytes initial, int line) {
    public PtxVariable {
        if (align < 1 || Integer.bitCount(align) != 1 || align > 256) {
            throw new IllegalArgumentException("an alignment is a power of two up to 256, got " + align);
        }
    }
}
