package org.bitwitness.recorder.wire;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.bitwitness.protocol.ProtocolException;

/**
 * One end of a connection between coordinator and worker.
 *
 * <p>A frame is a big-endian u32 length of what follows, one byte with the type, and the payload, canonical bytes.
 * Tensors follow a frame as raw little-endian float32 without any length: both sides know the shapes.
 *
 * <p>One thread at a time may send, and one receive.
 */
public final class Connection implements AutoCloseable {
    /** Largest frame before the other side has shown the token. */
    public static final int MAX_HELLO_BYTES = 1024;

    /** Largest frame after that; a frame holds no tensors. */
    public static final int MAX_FRAME_BYTES = 64 << 20;

    private static final int BUFFER_FLOATS = 1 << 16;

    private final Socket socket;
    private final Socket raw;
    private final DataInputStream in;
    private final WriteLimit out;
    // Made when they are first used: who has not shown the token gets none.
    private byte[] sendBytes = new byte[0];
    private byte[] receiveBytes = new byte[0];
    private FloatBuffer sendFloats = floats(sendBytes);
    private FloatBuffer receiveFloats = floats(receiveBytes);
    private int maxFrameBytes = MAX_HELLO_BYTES;

    /** Takes over the socket. A wait for data, or for the other side to take some, longer than {@code timeout} is an error. */
    public Connection(Socket socket, Duration timeout) throws IOException {
        this(socket, socket, timeout);
    }

    /** @param raw the socket under a secured one; closing it ends a write that hangs, which closing the other does not */
    Connection(Socket socket, Socket raw, Duration timeout) throws IOException {
        this.socket = socket;
        this.raw = raw;
        raw.setTcpNoDelay(true);
        KeepAlive.on(raw);
        in = new DataInputStream(socket.getInputStream());
        out = new WriteLimit(raw, socket.getOutputStream());
        setTimeout(timeout);
    }

    /** How long to wait for data, and for the other side to take some; zero for as long as it takes. */
    public void setTimeout(Duration timeout) throws IOException {
        socket.setSoTimeout(Math.toIntExact(timeout.toMillis()));
        out.limit(timeout);
    }

    /** Address of the other side. */
    public InetAddress peer() {
        return raw.getInetAddress();
    }

    /** Address of this side. */
    public InetAddress local() {
        return raw.getLocalAddress();
    }

    /** From now on, frames of ordinary size are accepted. */
    public void trust() {
        maxFrameBytes = MAX_FRAME_BYTES;
    }

    /** @throws IllegalArgumentException if the payload is larger than a frame may be */
    public void send(MessageType type, byte[] payload) throws IOException {
        if (payload.length >= MAX_FRAME_BYTES) {
            throw new IllegalArgumentException(
                    "a frame has at most %d bytes, %s has %d".formatted(MAX_FRAME_BYTES, type, payload.length));
        }
        ByteBuffer head = ByteBuffer.allocate(Integer.BYTES + 1);
        head.putInt(payload.length + 1).put((byte) type.code());
        out.write(head.array());
        out.write(payload);
        out.flush();
    }

    /** Sends every element of every tensor, in order. */
    public void sendTensors(List<float[]> tensors) throws IOException {
        for (float[] tensor : tensors) {
            sendFloats(tensor, 0, tensor.length);
        }
        flush();
    }

    /** Sends some elements; {@link #flush} after the last. */
    public void sendFloats(float[] data, int offset, int length) throws IOException {
        if (sendBytes.length == 0) {
            sendBytes = new byte[BUFFER_FLOATS * Float.BYTES];
            sendFloats = floats(sendBytes);
        }
        for (int done = 0; done < length; done += BUFFER_FLOATS) {
            int count = Math.min(BUFFER_FLOATS, length - done);
            sendFloats.clear().put(data, offset + done, count);
            out.write(sendBytes, 0, count * Float.BYTES);
        }
    }

    public void flush() throws IOException {
        out.flush();
    }

    /** Fills every tensor, in order. */
    public void receiveTensors(List<float[]> tensors) throws IOException {
        for (float[] tensor : tensors) {
            receiveFloats(tensor, 0, tensor.length);
        }
    }

    /** Fills some elements. */
    public void receiveFloats(float[] data, int offset, int length) throws IOException {
        if (receiveBytes.length == 0) {
            receiveBytes = new byte[BUFFER_FLOATS * Float.BYTES];
            receiveFloats = floats(receiveBytes);
        }
        for (int done = 0; done < length; done += BUFFER_FLOATS) {
            int count = Math.min(BUFFER_FLOATS, length - done);
            readFully(in, receiveBytes, count * Float.BYTES);
            receiveFloats.clear().get(data, offset + done, count);
        }
    }

    /**
     * Waits for a frame of one kind.
     *
     * @throws PeerFailedException if the other side says instead why it cannot go on
     * @throws EOFException if the other side has closed the connection
     * @throws IOException if something else arrives
     */
    public byte[] receive(MessageType expected) throws IOException {
        return receiveUnless(expected, expected)
                .orElseThrow(() -> new IllegalStateException("a frame is either of the kind asked for or refused"));
    }

    /** Waits for a frame of one kind, or for one of the other kind, which ends the conversation: then nothing. */
    public Optional<byte[]> receiveUnless(MessageType expected, MessageType end) throws IOException {
        int length = in.readInt();
        if (length < 1 || length > maxFrameBytes) {
            throw new IOException("a frame of %s should have 1 to %d bytes, says %s"
                    .formatted(expected, maxFrameBytes, Integer.toUnsignedString(length)));
        }
        int code = in.readUnsignedByte();
        byte[] payload = new byte[length - 1];
        readFully(in, payload, payload.length);
        MessageType found =
                MessageType.ofCode(code).orElseThrow(() -> new IOException("a frame has the unknown type " + code));
        if (found == expected) {
            return Optional.of(payload);
        }
        if (found == end) {
            return Optional.empty();
        }
        if (found == MessageType.FAILED) {
            throw new PeerFailedException(Messages.readFailed(payload));
        }
        if (found == MessageType.PEER_LOST) {
            throw lost(payload);
        }
        throw new IOException("expected %s, got %s".formatted(expected, found));
    }

    private static IOException lost(byte[] payload) {
        try {
            return MeshMessages.readLost(payload);
        } catch (ProtocolException e) {
            return new IOException("it blames another worker in what is no message: " + e.getMessage(), e);
        }
    }

    /** Throws away what arrives until the other side hangs up or is silent for {@code timeout}: it may be sending still. */
    public void drain(Duration timeout) throws IOException {
        setTimeout(timeout);
        try {
            byte[] thrownAway = new byte[MAX_HELLO_BYTES];
            int read = in.read(thrownAway);
            while (read >= 0) {
                read = in.read(thrownAway);
            }
        } catch (SocketTimeoutException e) {
            // It has had its time.
        }
    }

    @Override
    public void close() throws IOException {
        raw.close();
    }

    private static void readFully(InputStream in, byte[] into, int length) throws IOException {
        if (in.readNBytes(into, 0, length) != length) {
            throw new EOFException("the connection was closed in the middle of a message");
        }
    }

    private static FloatBuffer floats(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer();
    }
}
