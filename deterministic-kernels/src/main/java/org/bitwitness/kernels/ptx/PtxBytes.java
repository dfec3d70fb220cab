package org.bitwitness.kernels.ptx;

import java.util.Arrays;

/** Bytes that nobody alters. */
public final class PtxBytes {
    public static final PtxBytes NONE = new PtxBytes(new byte[0]);

    private final byte[] bytes;

    public PtxBytes(byte[] bytes) {
        this.bytes = bytes.clone();
    }

    public int length() {
        return bytes.length;
    }

    public byte[] copy() {
        return bytes.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PtxBytes that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }
}
