package org.bitwitness.replayer;

import java.util.Arrays;

/** What a file has in it, or must have, read piece by piece. */
interface Contents {
    /** Bytes that this version reads at a time. */
    int PIECE_BYTES = 1 << 20;

    long size();

    /** @param length at most {@link #PIECE_BYTES}, and within the size */
    byte[] bytes(long from, int length);

    static Contents of(byte[] all) {
        return new Contents() {
            @Override
            public long size() {
                return all.length;
            }

            @Override
            public byte[] bytes(long from, int length) {
                return Arrays.copyOfRange(all, Math.toIntExact(from), Math.toIntExact(from + length));
            }
        };
    }
}
