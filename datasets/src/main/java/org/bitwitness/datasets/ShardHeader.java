package org.bitwitness.datasets;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;

/**
 * First 32 bytes of a shard file, little-endian: magic {@code BWTOKENS}, version u32, bytes per id u32, id count u64,
 * vocabulary u32, zero u32. The ids follow, nothing after them.
 */
record ShardHeader(TokenWidth width, long tokenCount, int vocab) {
    static final int BYTES = 32;
    static final int VERSION = 1;

    /** {@code BWTOKENS} read as a little-endian number. */
    private static final long MAGIC = 0x534E_454B_4F54_5742L;

    static String fileName(int index) {
        return name(index) + ".tokens";
    }

    static String name(int index) {
        return String.format(Locale.ROOT, "shard-%05d", index);
    }

    long fileBytes() {
        return Math.addExact(BYTES, Math.multiplyExact(tokenCount, width.bytes()));
    }

    ByteBuffer toBytes() {
        return ByteBuffer.allocate(BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(MAGIC)
                .putInt(VERSION)
                .putInt(width.bytes())
                .putLong(tokenCount)
                .putInt(vocab)
                .putInt(0)
                .flip();
    }

    /**
     * Reads a header and checks it against the file's length.
     *
     * @param bytes the first bytes of the file, fewer than {@link #BYTES} where the file is shorter
     */
    static ShardHeader read(ByteBuffer bytes, long fileBytes, String place) throws DatasetException {
        bytes.order(ByteOrder.LITTLE_ENDIAN);
        if (bytes.remaining() < BYTES || bytes.getLong() != MAGIC) {
            throw DatasetException.bytes("%s is not a shard: it should start with the 8 letters BWTOKENS", place);
        }
        int version = bytes.getInt();
        if (version != VERSION) {
            throw DatasetException.bytes(
                    "%s has shard version %s, this program knows %d",
                    place, Integer.toUnsignedString(version), VERSION);
        }
        int widthBytes = bytes.getInt();
        long count = bytes.getLong();
        int vocab = bytes.getInt();
        int zero = bytes.getInt();
        if (vocab < 1 || zero != 0 || widthBytes != TokenWidth.ofVocab(vocab).bytes()) {
            throw DatasetException.bytes(
                    "%s says %d bytes an id for a vocabulary of %d: ids below 65,537 take 2 bytes, others 4, and the last"
                            + " header word is 0",
                    place, widthBytes, vocab);
        }
        TokenWidth width = TokenWidth.ofVocab(vocab);
        long body = fileBytes - BYTES;
        if (count < 1 || body % width.bytes() != 0 || body / width.bytes() != count) {
            throw DatasetException.bytes(
                    "%s says %s ids of %d bytes, but has %d bytes after its header",
                    place, Long.toUnsignedString(count), width.bytes(), body);
        }
        return new ShardHeader(width, count, vocab);
    }
}
