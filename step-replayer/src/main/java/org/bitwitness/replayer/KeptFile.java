package org.bitwitness.replayer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.bytes.CanonicalDecoder;
import org.bitwitness.protocol.bytes.CanonicalEncoder;

/**
 * One file of kept work. The secret authenticates its head; tensors after it are believed by nobody before they hash to a
 * committed root.
 *
 * <pre>
 * BWKEPT01 ‖ u32 length of head ‖ head ‖ HMAC-SHA256(secret, all before) ‖ tensors, little-endian binary32
 * head = E(kept, binding, body)
 * </pre>
 */
final class KeptFile {
    private static final byte[] MAGIC = "BWKEPT01".getBytes(StandardCharsets.US_ASCII);
    private static final String DOMAIN = "kept";
    private static final int MAX_HEAD_BYTES = 1 << 20;
    private static final int MAC_BYTES = 32;
    private static final int PREFIX_BYTES = MAGIC.length + Integer.BYTES;
    private static final int BUFFER_BYTES = 1 << 20;

    private final Path path;
    private final KeepSecret secret;

    /** What a file holds, as far as it was read. */
    static final class Contents {
        private final byte[] body;
        private final long tensorsAt;
        private final long tensorBytes;

        private Contents(byte[] body, long tensorsAt, long tensorBytes) {
            this.body = body;
            this.tensorsAt = tensorsAt;
            this.tensorBytes = tensorBytes;
        }

        /** Of the head. */
        byte[] body() {
            return body.clone();
        }
    }

    KeptFile(Path path, KeepSecret secret) {
        this.path = path;
        this.secret = secret;
    }

    Path path() {
        return path;
    }

    /**
     * The head's body, and that there may be tensors.
     *
     * @return nothing where there is no file
     * @throws ProtocolException if it was not made with this secret for this binding, or is damaged
     */
    Optional<Contents> read(Sha256 binding) throws ProtocolException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.empty();
        }
        if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
            throw ProtocolException.malformed("it is a link or a folder");
        }
        try (FileChannel in = open()) {
            ByteBuffer prefix = bytes(in, 0, PREFIX_BYTES);
            byte[] magic = new byte[MAGIC.length];
            prefix.get(magic);
            int length = prefix.getInt();
            if (!Arrays.equals(magic, MAGIC) || length < 1 || length > MAX_HEAD_BYTES) {
                throw ProtocolException.malformed("it does not begin as kept work does");
            }
            byte[] head = bytes(in, PREFIX_BYTES, length).array();
            byte[] mac = bytes(in, PREFIX_BYTES + (long) length, MAC_BYTES).array();
            if (!MessageDigest.isEqual(mac, secret.authenticate(authenticated(head)))) {
                throw ProtocolException.malformed("it is damaged, or not made with this key for this unit");
            }
            CanonicalDecoder decoder = CanonicalDecoder.open(head, DOMAIN);
            Sha256 found = decoder.digest("binding");
            byte[] body = decoder.bytes("body", MAX_HEAD_BYTES);
            decoder.end();
            if (!found.equals(binding)) {
                throw ProtocolException.malformed(
                        "it is of another recording, commitment, challenge, backend, version or machine");
            }
            long tensorsAt = PREFIX_BYTES + (long) length + MAC_BYTES;
            return Optional.of(new Contents(body, tensorsAt, in.size() - tensorsAt));
        } catch (IOException e) {
            throw new ProtocolException(ProtocolException.Kind.MALFORMED, "it cannot be read: " + e.getMessage(), e);
        }
    }

    /** Fills tensors; the file must end with the last one. */
    void readTensors(Contents from, List<float[]> into) throws ProtocolException {
        long expected = into.stream()
                .mapToLong(data -> (long) data.length * Float.BYTES)
                .sum();
        if (from.tensorBytes != expected) {
            throw ProtocolException.malformed("its state should have %d bytes, has %d", expected, from.tensorBytes);
        }
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        try (FileChannel in = open()) {
            long at = from.tensorsAt;
            for (float[] data : into) {
                for (int done = 0; done < data.length; ) {
                    int floats = Math.min(BUFFER_BYTES / Float.BYTES, data.length - done);
                    fill(in, at, buffer.clear().limit(floats * Float.BYTES));
                    buffer.flip().asFloatBuffer().get(data, done, floats);
                    done += floats;
                    at += (long) floats * Float.BYTES;
                }
            }
        } catch (IOException e) {
            throw new ProtocolException(ProtocolException.Kind.MALFORMED, "it cannot be read: " + e.getMessage(), e);
        }
    }

    /** Replaces the file in one operation: a crash leaves the old one or the new one. */
    void write(Sha256 binding, byte[] body, List<float[]> tensors) throws IOException {
        byte[] head = CanonicalEncoder.of(DOMAIN).digest(binding).bytes(body).toBytes();
        byte[] authenticated = authenticated(head);
        Path folder = Optional.ofNullable(path.toAbsolutePath().getParent()).orElseThrow();
        Files.createDirectories(folder);
        Path partial = path.resolveSibling(path.getFileName() + ".partial");
        // A link that somebody put there is deleted, never followed.
        Files.deleteIfExists(partial);
        try (FileChannel out = FileChannel.open(partial, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            drain(out, ByteBuffer.wrap(authenticated));
            drain(out, ByteBuffer.wrap(secret.authenticate(authenticated)));
            ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
            for (float[] data : tensors) {
                for (int done = 0; done < data.length; ) {
                    int floats = Math.min(BUFFER_BYTES / Float.BYTES, data.length - done);
                    buffer.clear().asFloatBuffer().put(data, done, floats);
                    drain(out, buffer.limit(floats * Float.BYTES));
                    done += floats;
                }
            }
            out.force(true);
        }
        Files.move(partial, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Takes the file away, if it is there. */
    void remove() throws IOException {
        Files.deleteIfExists(path);
    }

    private FileChannel open() throws IOException {
        return FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    }

    private static byte[] authenticated(byte[] head) {
        return ByteBuffer.allocate(PREFIX_BYTES + head.length)
                .put(MAGIC)
                .putInt(head.length)
                .put(head)
                .array();
    }

    private static ByteBuffer bytes(FileChannel in, long at, int count) throws IOException {
        if (in.size() < at + count) {
            throw new IOException("it ends after %d bytes".formatted(in.size()));
        }
        ByteBuffer buffer = ByteBuffer.allocate(count);
        fill(in, at, buffer);
        return buffer.flip();
    }

    private static void fill(FileChannel in, long at, ByteBuffer buffer) throws IOException {
        long from = at;
        while (buffer.hasRemaining()) {
            int read = in.read(buffer, from);
            if (read < 0) {
                throw new IOException("it ends after %d bytes".formatted(from));
            }
            from += read;
        }
    }

    private static void drain(FileChannel out, ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            out.write(buffer);
        }
    }
}
