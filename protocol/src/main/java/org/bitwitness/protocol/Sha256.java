package org.bitwitness.protocol;

import java.nio.ByteBuffer;
import java.util.HexFormat;

/**
 * A SHA-256 value. Immutable, compared as 32 unsigned bytes; its text is 64 lower-case hex digits.
 *
 * <p>The four words are the digest read as big-endian 64-bit integers.
 */
public record Sha256(long word0, long word1, long word2, long word3) implements Comparable<Sha256> {
    public static final int BYTES = 32;

    private static final HexFormat HEX = HexFormat.of();

    /**
     * Reads 32 bytes.
     *
     * @throws IllegalArgumentException if {@code digest} is not 32 bytes long
     */
    public static Sha256 of(byte[] digest) {
        if (digest.length != BYTES) {
            throw new IllegalArgumentException("a SHA-256 has 32 bytes, got " + digest.length);
        }
        return read(ByteBuffer.wrap(digest));
    }

    /** Reads the next 32 bytes of a big-endian buffer. */
    public static Sha256 read(ByteBuffer from) {
        return new Sha256(from.getLong(), from.getLong(), from.getLong(), from.getLong());
    }

    /**
     * Reads the one spelling.
     *
     * @throws IllegalArgumentException if {@code hex} is not 64 lower-case hex digits
     */
    public static Sha256 ofHex(String hex) {
        if (!isHex(hex)) {
            throw new IllegalArgumentException(
                    "a SHA-256 is 64 lower-case hex digits, got \"" + Excerpt.of(hex) + "\"");
        }
        return of(HEX.parseHex(hex));
    }

    /** True for the one accepted spelling: 64 lower-case hex digits. */
    public static boolean isHex(String text) {
        return text.length() == 2 * BYTES
                && text.chars().allMatch(c -> (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
    }

    public byte[] bytes() {
        byte[] out = new byte[BYTES];
        write(ByteBuffer.wrap(out));
        return out;
    }

    /** Appends the 32 bytes to a big-endian buffer. */
    public void write(ByteBuffer to) {
        to.putLong(word0).putLong(word1).putLong(word2).putLong(word3);
    }

    public String hex() {
        return HEX.formatHex(bytes());
    }

    @Override
    public int compareTo(Sha256 other) {
        int order = Long.compareUnsigned(word0, other.word0);
        if (order == 0) {
            order = Long.compareUnsigned(word1, other.word1);
        }
        if (order == 0) {
            order = Long.compareUnsigned(word2, other.word2);
        }
        return order == 0 ? Long.compareUnsigned(word3, other.word3) : order;
    }

    @Override
    public String toString() {
        return hex();
    }
}
