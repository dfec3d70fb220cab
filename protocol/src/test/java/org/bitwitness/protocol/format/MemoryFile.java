package org.bitwitness.protocol.format;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.store.StoredFile;

/** A file that claims any size; bytes past those it has are zeros. */
final class MemoryFile implements StoredFile {
    private final byte[] bytes;
    private final long size;
    private boolean closed;

    MemoryFile(byte[] bytes, long size) {
        this.bytes = bytes.clone();
        this.size = size;
    }

    /** Header length, header, and as many zeros as {@code dataBytes}. */
    static MemoryFile safetensors(String header, long dataBytes) {
        byte[] utf8 = header.getBytes(StandardCharsets.UTF_8);
        return withLength(utf8.length, utf8, 8 + utf8.length + dataBytes);
    }

    static MemoryFile withLength(long headerBytes, byte[] rest, long size) {
        ByteBuffer all = ByteBuffer.allocate(8 + rest.length).order(java.nio.ByteOrder.LITTLE_ENDIAN);
        all.putLong(headerBytes).put(rest);
        return new MemoryFile(all.array(), size);
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public void read(long position, ByteBuffer into) throws ProtocolException {
        if (position + into.remaining() > size) {
            throw ProtocolException.malformed("ends at %d", size);
        }
        while (into.hasRemaining()) {
            long at = position++;
            into.put(at < bytes.length ? bytes[(int) at] : 0);
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
