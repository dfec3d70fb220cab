package org.bitwitness.protocol.bytes;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;

/**
 * Writes {@code E(domain, f…)}: for the domain and then every field, a big-endian 32-bit length and that many bytes.
 *
 * <p>Numbers are big-endian, floats their raw bits, text UTF-8. A field that is absent has length FFFFFFFF and no
 * bytes. A list is one field: a big-endian 32-bit count, then each item with its own length.
 *
 * <p>The domain names what is hashed, {@code bitwitness/<name>/v1}, so bytes of one kind never pass for another.
 */
public final class CanonicalEncoder {
    static final String PREFIX = "bitwitness/";
    static final String VERSION = "/v1";
    static final int ABSENT = 0xFFFF_FFFF;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream(256);

    private CanonicalEncoder(String domain) {
        text(domain);
    }

    /** Starts {@code E(bitwitness/<name>/v1, …)}. */
    public static CanonicalEncoder of(String name) {
        return new CanonicalEncoder(PREFIX + name + VERSION);
    }

    /**
     * A count or an index.
     *
     * @throws IllegalArgumentException if {@code value} is negative
     */
    public CanonicalEncoder u64(long value) {
        if (value < 0) {
            throw new IllegalArgumentException("a count or index cannot be negative, got " + value);
        }
        return bytes(u64Bytes(value));
    }

    /** A truth value, as the number 1 or 0. */
    public CanonicalEncoder flag(boolean value) {
        return u64(value ? 1 : 0);
    }

    public CanonicalEncoder f64(double value) {
        return bytes(ByteBuffer.allocate(Double.BYTES)
                .putLong(Double.doubleToRawLongBits(value))
                .array());
    }

    public CanonicalEncoder f32(float value) {
        return bytes(ByteBuffer.allocate(Float.BYTES)
                .putInt(Float.floatToRawIntBits(value))
                .array());
    }

    public CanonicalEncoder text(String value) {
        return bytes(value.getBytes(StandardCharsets.UTF_8));
    }

    public CanonicalEncoder digest(Sha256 value) {
        return bytes(value.bytes());
    }

    /** A digest, or a field that is absent. */
    public CanonicalEncoder digest(Optional<Sha256> value) {
        return value.isPresent() ? digest(value.get()) : absent();
    }

    public CanonicalEncoder bytes(byte[] value) {
        length(value.length);
        out.writeBytes(value);
        return this;
    }

    public CanonicalEncoder absent() {
        length(ABSENT);
        return this;
    }

    /** One field that holds every item with its own length. */
    public CanonicalEncoder list(List<byte[]> items) {
        long size = Integer.BYTES;
        for (byte[] item : items) {
            size += Integer.BYTES + (long) item.length;
        }
        ByteBuffer body = ByteBuffer.allocate(Math.toIntExact(size)).putInt(items.size());
        for (byte[] item : items) {
            body.putInt(item.length).put(item);
        }
        return bytes(body.array());
    }

    /** A list of numbers, each an item of 8 bytes. */
    public CanonicalEncoder u64List(long... values) {
        ByteBuffer body = ByteBuffer.allocate(
                        Math.addExact(Integer.BYTES, Math.multiplyExact(values.length, Integer.BYTES + Long.BYTES)))
                .putInt(values.length);
        for (long value : values) {
            if (value < 0) {
                throw new IllegalArgumentException("a count or index cannot be negative, got " + value);
            }
            body.putInt(Long.BYTES).putLong(value);
        }
        return bytes(body.array());
    }

    /** One field of packed big-endian 32-bit numbers: token ids and targets. */
    public CanonicalEncoder packed32(int... values) {
        ByteBuffer body = ByteBuffer.allocate(Math.multiplyExact(values.length, Integer.BYTES));
        for (int value : values) {
            body.putInt(value);
        }
        return bytes(body.array());
    }

    public byte[] toBytes() {
        return out.toByteArray();
    }

    /** {@code H(domain, f…)}: SHA-256 of {@link #toBytes()}. */
    public Sha256 hash() {
        return Hashing.sha256(toBytes());
    }

    static byte[] u64Bytes(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }

    private void length(int value) {
        out.write(value >>> 24);
        out.write(value >>> 16);
        out.write(value >>> 8);
        out.write(value);
    }
}
