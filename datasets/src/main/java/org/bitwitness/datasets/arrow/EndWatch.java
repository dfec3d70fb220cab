package org.bitwitness.datasets.arrow;

import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * A stream whose end has to be the Arrow end mark: the four bytes FFFFFFFF and four zeros. A file that is cut off between
 * two batches would else look whole.
 */
final class EndWatch extends FilterInputStream {
    private static final long MARK = 0xFFFF_FFFF_0000_0000L;

    private long last;
    private boolean ended;

    EndWatch(InputStream in) {
        super(in);
    }

    @Override
    public int read() throws IOException {
        int b = super.read();
        if (b < 0) {
            requireMark();
        } else {
            last = last << 8 | b;
        }
        return b;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        int n = super.read(into, offset, length);
        if (n < 0) {
            requireMark();
        }
        for (int i = Math.max(0, n - Long.BYTES); i < n; i++) {
            last = last << 8 | (into[offset + i] & 0xFF);
        }
        return n;
    }

    private void requireMark() throws IOException {
        if (!ended && last != MARK) {
            throw new EOFException("it ends without the mark of its end");
        }
        ended = true;
    }
}
