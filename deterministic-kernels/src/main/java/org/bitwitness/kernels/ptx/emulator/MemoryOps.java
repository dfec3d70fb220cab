package org.bitwitness.kernels.ptx.emulator;

import org.bitwitness.kernels.gpu.GpuFailure.KernelFault.Kind;

/** Loads and stores. */
final class MemoryOps {
    private MemoryOps() {}

    /**
     * What moves between memory and registers.
     *
     * @param columns of the elements, in order
     * @param wide whether the columns are 64-bit ones
     * @param low16 whether the registers have 16 bits
     */
    @SuppressWarnings("ArrayRecordComponent") // read in inner loops, seen by nobody outside
    record Elements(int bytes, boolean signed, int[] columns, boolean wide, boolean low16) {
        int total() {
            return bytes * columns.length;
        }
    }

    /** {@code ld}. */
    static final class Load extends Op {
        private final MemoryAddress address;
        private final Elements elements;

        Load(int line, MemoryAddress address, Elements elements) {
            super(line);
            this.address = address;
            this.elements = elements;
        }

        @Override
        void run(Warp w, int mask) {
            int total = elements.total();
            for (int rest = mask; rest != 0; rest &= rest - 1) {
                int l = Integer.numberOfTrailingZeros(rest);
                Segment s = address.segment(w, this, l, total);
                long at = address.within(address.of(w, l));
                if (w.block.checked && address.space() != MemoryAddress.Space.PARAM) {
                    check(w, l, s, at);
                }
                if (elements.bytes == 4 && !elements.wide) {
                    int word = (int) (at >>> 2);
                    for (int column : elements.columns) {
                        w.r[column + l] = s.words[word++];
                    }
                } else {
                    for (int i = 0; i < elements.columns.length; i++) {
                        other(w, s, at + (long) i * elements.bytes, elements.columns[i] + l);
                    }
                }
            }
        }

        private void check(Warp w, int lane, Segment s, long at) {
            Shadow notes = w.block.notes(s);
            notes.read(w, this, lane, s.access(at, elements.total()));
            if (!s.isDefined(at, elements.total(), notes)) {
                throw w.fault(
                        this,
                        Kind.UNINITIALISED_READ,
                        "%s reads %d bytes at offset %d of %s, which nobody has written"
                                .formatted(w.thread(lane), elements.total(), at, s.name()));
            }
        }

        private void other(Warp w, Segment s, long at, int to) {
            int word = (int) (at >>> 2);
            long value;
            if (elements.bytes == 8) {
                value = (s.words[word] & 0xFFFF_FFFFL) | ((long) s.words[word + 1] << 32);
            } else {
                int shift = 64 - 8 * elements.bytes;
                long bits = (s.words[word] & 0xFFFF_FFFFL) >>> (8 * (at & 3)) << shift;
                value = elements.signed ? bits >> shift : bits >>> shift;
            }
            if (elements.wide) {
                w.q[to] = value;
            } else {
                w.r[to] = elements.low16 ? (int) value & 0xFFFF : (int) value;
            }
        }
    }

    /** {@code st}. */
    static final class Store extends Op {
        private final MemoryAddress address;
        private final Elements elements;

        Store(int line, MemoryAddress address, Elements elements) {
            super(line);
            this.address = address;
            this.elements = elements;
        }

        @Override
        void run(Warp w, int mask) {
            int total = elements.total();
            boolean backwards = w.block.order.isBackward();
            for (int rest = mask; rest != 0; ) {
                int l = backwards ? 31 - Integer.numberOfLeadingZeros(rest) : Integer.numberOfTrailingZeros(rest);
                rest &= ~(1 << l);
                Segment s = address.segment(w, this, l, total);
                long at = address.within(address.of(w, l));
                if (w.block.checked) {
                    w.block.notes(s).write(w, this, l, s.access(at, total));
                    s.markAccess(at, total);
                }
                if (elements.bytes == 4 && !elements.wide) {
                    int word = (int) (at >>> 2);
                    for (int column : elements.columns) {
                        s.words[word++] = w.r[column + l];
                    }
                } else {
                    for (int i = 0; i < elements.columns.length; i++) {
                        int column = elements.columns[i] + l;
                        other(s, at + (long) i * elements.bytes, elements.wide ? w.q[column] : w.r[column]);
                    }
                }
            }
        }

        private void other(Segment s, long at, long value) {
            int word = (int) (at >>> 2);
            if (elements.bytes >= 4) {
                s.words[word] = (int) value;
                if (elements.bytes == 8) {
                    s.words[word + 1] = (int) (value >>> 32);
                }
                return;
            }
            int shift = (int) (8 * (at & 3));
            int bits = (elements.bytes == 1 ? 0xFF : 0xFFFF) << shift;
            s.words[word] = (s.words[word] & ~bits) | ((int) value << shift & bits);
        }
    }
}
