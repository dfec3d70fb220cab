package org.bitwitness.protocol.bytes;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;

/**
 * Reads what {@link CanonicalEncoder} writes, field by field, and refuses everything else: another domain, a length
 * past the end, a number of the wrong width, more items than the caller allows, bytes left over.
 *
 * <p>Every field is named by the caller, so that a refusal names it.
 */
public final class CanonicalDecoder {
    private final String what;
    private final ByteBuffer in;

    private CanonicalDecoder(String what, byte[] encoded) {
        this.what = what;
        this.in = ByteBuffer.wrap(encoded);
    }

    /** Opens {@code E(bitwitness/<name>/v1, …)}. */
    public static CanonicalDecoder open(byte[] encoded, String name) throws ProtocolException {
        CanonicalDecoder decoder = new CanonicalDecoder(name, encoded);
        String expected = CanonicalEncoder.PREFIX + name + CanonicalEncoder.VERSION;
        String found = decoder.text("domain", 128);
        if (!found.equals(expected)) {
            throw ProtocolException.malformed(
                    "%s: the domain should be \"%s\" (the only version known here), is \"%s\"", name, expected, found);
        }
        return decoder;
    }

    public long u64(String field) throws ProtocolException {
        long value = fixed(field, Long.BYTES).getLong();
        if (value < 0) {
            throw ProtocolException.overLimit("%s.%s: over 2^63 - 1", what, field);
        }
        return value;
    }

    /** A number from 0 to {@code max}. */
    public int count(String field, int max) throws ProtocolException {
        long value = u64(field);
        if (value > max) {
            throw ProtocolException.overLimit("%s.%s: at most %d, is %d", what, field, max, value);
        }
        return (int) value;
    }

    public boolean flag(String field) throws ProtocolException {
        return count(field, 1) == 1;
    }

    public double f64(String field) throws ProtocolException {
        return Double.longBitsToDouble(fixed(field, Double.BYTES).getLong());
    }

    public float f32(String field) throws ProtocolException {
        return Float.intBitsToFloat(fixed(field, Float.BYTES).getInt());
    }

    public Sha256 digest(String field) throws ProtocolException {
        return Sha256.read(fixed(field, Sha256.BYTES));
    }

    public Optional<Sha256> optionalDigest(String field) throws ProtocolException {
        return skipAbsent() ? Optional.empty() : Optional.of(digest(field));
    }

    public String text(String field, int maxBytes) throws ProtocolException {
        byte[] utf8 = bytes(field, maxBytes);
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(utf8))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new ProtocolException(ProtocolException.Kind.MALFORMED, "%s.%s: not UTF-8".formatted(what, field), e);
        }
    }

    public byte[] bytes(String field, int maxBytes) throws ProtocolException {
        int length = length(field);
        if (length > maxBytes) {
            throw ProtocolException.overLimit("%s.%s: at most %d bytes, has %d", what, field, maxBytes, length);
        }
        byte[] value = new byte[length];
        in.get(value);
        return value;
    }

    /** True, and the field is read, when the next field is absent. */
    public boolean skipAbsent() {
        if (in.remaining() >= Integer.BYTES && in.getInt(in.position()) == CanonicalEncoder.ABSENT) {
            in.getInt();
            return true;
        }
        return false;
    }

    public List<byte[]> list(String field, int maxItems) throws ProtocolException {
        ByteBuffer body = slice(field);
        if (body.remaining() < Integer.BYTES) {
            throw ProtocolException.malformed("%s.%s: too short for a list", what, field);
        }
        int count = body.getInt();
        if (count < 0 || count > maxItems) {
            throw ProtocolException.overLimit(
                    "%s.%s: at most %d items, has %d", what, field, maxItems, Integer.toUnsignedLong(count));
        }
        List<byte[]> items = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int length = body.remaining() < Integer.BYTES ? -1 : body.getInt();
            if (length < 0 || length > body.remaining()) {
                throw ProtocolException.malformed("%s.%s: item %d of %d is cut off", what, field, i, count);
            }
            byte[] item = new byte[length];
            body.get(item);
            items.add(item);
        }
        if (body.hasRemaining()) {
            throw ProtocolException.malformed("%s.%s: %d bytes after the last item", what, field, body.remaining());
        }
        return items;
    }

    public long[] u64List(String field, int maxItems) throws ProtocolException {
        List<byte[]> items = list(field, maxItems);
        long[] values = new long[items.size()];
        for (int i = 0; i < values.length; i++) {
            byte[] item = items.get(i);
            if (item.length != Long.BYTES || item[0] < 0) {
                throw ProtocolException.malformed(
                        "%s.%s: item %d should be a number of 8 bytes under 2^63", what, field, i);
            }
            values[i] = ByteBuffer.wrap(item).getLong();
        }
        return values;
    }

    public int[] packed32(String field, int maxValues) throws ProtocolException {
        ByteBuffer body = slice(field);
        if (body.remaining() % Integer.BYTES != 0 || body.remaining() / Integer.BYTES > maxValues) {
            throw ProtocolException.malformed(
                    "%s.%s: should be at most %d numbers of 4 bytes, has %d bytes",
                    what, field, maxValues, body.remaining());
        }
        int[] values = new int[body.remaining() / Integer.BYTES];
        body.asIntBuffer().get(values);
        return values;
    }

    /**
     * Closes the bytes: none may be left.
     *
     * @throws ProtocolException if bytes are left
     */
    public void end() throws ProtocolException {
        if (in.hasRemaining()) {
            throw ProtocolException.malformed("%s: %d bytes after the last field", what, in.remaining());
        }
    }

    /** Builds a value whose constructor may refuse what was read; the refusal is then the bytes' fault. */
    public <T> T build(Supplier<T> constructor) throws ProtocolException {
        end();
        try {
            return constructor.get();
        } catch (IllegalArgumentException e) {
            throw new ProtocolException(ProtocolException.Kind.MALFORMED, what + ": " + e.getMessage(), e);
        }
    }

    private ByteBuffer fixed(String field, int bytes) throws ProtocolException {
        ByteBuffer value = slice(field);
        if (value.remaining() != bytes) {
            throw ProtocolException.malformed(
                    "%s.%s: should have %d bytes, has %d", what, field, bytes, value.remaining());
        }
        return value;
    }

    private ByteBuffer slice(String field) throws ProtocolException {
        int length = length(field);
        ByteBuffer value = in.slice(in.position(), length);
        in.position(in.position() + length);
        return value;
    }

    private int length(String field) throws ProtocolException {
        if (in.remaining() < Integer.BYTES) {
            throw ProtocolException.missing("%s.%s: missing, the bytes end before it", what, field);
        }
        int length = in.getInt();
        if (length == CanonicalEncoder.ABSENT) {
            throw ProtocolException.missing("%s.%s: absent, but it is required", what, field);
        }
        if (length < 0 || length > in.remaining()) {
            throw ProtocolException.malformed(
                    "%s.%s: says %d bytes, %d are left", what, field, Integer.toUnsignedLong(length), in.remaining());
        }
        return length;
    }
}
