package org.bitwitness.attestation.log;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Bytes of an entry bundle: up to 256 entries, each after its length as 16 bits, big-endian. */
final class EntryBundle {
    static final int MAX_ENTRY_BYTES = 0xffff;
    static final int MAX_BYTES = TilePath.FULL * (2 + MAX_ENTRY_BYTES);

    private EntryBundle() {}

    static void append(ByteArrayOutputStream bundle, byte[] entry) {
        if (entry.length > MAX_ENTRY_BYTES) {
            throw new IllegalArgumentException(
                    "an entry has at most %d bytes, got %d".formatted(MAX_ENTRY_BYTES, entry.length));
        }
        bundle.write(entry.length >>> 8);
        bundle.write(entry.length);
        bundle.writeBytes(entry);
    }

    /**
     * The first {@code count} entries.
     *
     * @param exact the bundle must end after them
     * @return empty if the bundle ends within an entry, has fewer, or has more and may not
     */
    static Optional<List<byte[]>> read(byte[] bundle, int count, boolean exact) {
        List<byte[]> entries = new ArrayList<>(count);
        int at = 0;
        while (entries.size() < count) {
            if (bundle.length - at < 2) {
                return Optional.empty();
            }
            int length = (bundle[at] & 0xff) << 8 | (bundle[at + 1] & 0xff);
            at += 2;
            if (bundle.length - at < length) {
                return Optional.empty();
            }
            byte[] entry = new byte[length];
            System.arraycopy(bundle, at, entry, 0, length);
            entries.add(entry);
            at += length;
        }
        return exact && at != bundle.length ? Optional.empty() : Optional.of(entries);
    }
}
