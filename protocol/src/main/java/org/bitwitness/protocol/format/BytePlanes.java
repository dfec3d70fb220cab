package org.bitwitness.protocol.format;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.bitwitness.protocol.ProtocolException;

/**
 * One block of float32 values, losslessly compressed. The bits of each value are rotated left by one, so that the whole
 * exponent stands in the top byte and the sign in the lowest bit; then byte k of every value goes into plane k. Mantissa
 * bytes of gradients are noise, exponents are not: only a plane that shrinks is kept as Zstandard.
 *
 * <pre>
 * block = 4 planes, the lowest byte first:  codec u8 (0 as it is, 1 Zstandard) ‖ length u32 ‖ bytes
 * </pre>
 */
final class BytePlanes {
    static final int PLANES = Float.BYTES;

    private static final int RAW = 0;
    private static final int ZSTD = 1;
    private static final int LEVEL = 3;

    private final byte[][] planes;
    private final byte[] packed;

    /** @param capacity values of the largest block */
    BytePlanes(int capacity) {
        planes = new byte[PLANES][capacity];
        packed = new byte[Math.toIntExact(Zstd.compressBound(capacity))];
    }

    /** Puts a value at a place of the block. */
    void set(int at, float value) {
        int bits = Integer.rotateLeft(Float.floatToRawIntBits(value), 1);
        planes[0][at] = (byte) bits;
        planes[1][at] = (byte) (bits >>> 8);
        planes[2][at] = (byte) (bits >>> 16);
        planes[3][at] = (byte) (bits >>> 24);
    }

    float get(int at) {
        int bits = (planes[0][at] & 0xFF)
                | (planes[1][at] & 0xFF) << 8
                | (planes[2][at] & 0xFF) << 16
                | planes[3][at] << 24;
        return Float.intBitsToFloat(Integer.rotateRight(bits, 1));
    }

    /** Writes the first {@code count} values. */
    void write(int count, DataOutputStream out) throws IOException {
        for (byte[] plane : planes) {
            long size = Zstd.compressByteArray(packed, 0, packed.length, plane, 0, count, LEVEL);
            if (Zstd.isError(size) || size >= count) {
                out.writeByte(RAW);
                out.writeInt(count);
                out.write(plane, 0, count);
            } else {
                out.writeByte(ZSTD);
                out.writeInt((int) size);
                out.write(packed, 0, (int) size);
            }
        }
    }

    /** Takes a block of exactly {@code count} values; a plane that holds more or fewer is refused. */
    void read(int count, ByteBuffer in, String place) throws ProtocolException {
        for (byte[] plane : planes) {
            if (in.remaining() < 1 + Integer.BYTES) {
                throw ProtocolException.malformed("%s: ends inside a block", place);
            }
            int codec = in.get();
            int length = in.getInt();
            boolean known = codec == RAW ? length == count : codec == ZSTD && length > 0 && length < count;
            if (!known || length > in.remaining()) {
                throw ProtocolException.malformed(
                        "%s: a plane of %d values cannot have codec %d and %s bytes where %d are left",
                        place, count, codec, Integer.toUnsignedString(length), in.remaining());
            }
            if (codec == RAW) {
                in.get(plane, 0, count);
            } else {
                in.get(packed, 0, length);
                unpack(plane, count, length, place);
            }
        }
    }

    private void unpack(byte[] plane, int count, int length, String place) throws ProtocolException {
        long size;
        try {
            size = Zstd.decompressByteArray(plane, 0, count, packed, 0, length);
        } catch (ZstdException e) {
            throw new ProtocolException(
                    ProtocolException.Kind.MALFORMED, place + ": a plane is not Zstandard: " + e.getMessage(), e);
        }
        if (size != count) {
            throw ProtocolException.malformed("%s: a plane should unpack to %d bytes, gives %d", place, count, size);
        }
    }
}
