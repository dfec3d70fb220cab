package org.bitwitness.replayer.dispute;

import java.util.Arrays;
import java.util.Optional;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.bytes.CanonicalDecoder;
import org.bitwitness.protocol.bytes.CanonicalEncoder;

/**
 * A move at its place: {@code E(dispute-message, sequence, previous?, kind, move)}. Each names the digest of the one before, so
 * the last signature covers the whole dispute.
 *
 * @param previous digest of the message before; absent exactly in the first
 */
public record Message(long sequence, Optional<Sha256> previous, Move move) {
    /** More is not read. A dispute over 2^20 operators has fewer. */
    public static final int MAX_MESSAGES = 256;

    /** Of one message; the data of tensors lies in files of their own. */
    public static final int MAX_BYTES = 1 << 20;

    public Message {
        if (sequence < 0 || sequence >= MAX_MESSAGES) {
            throw new IllegalArgumentException(
                    "a dispute has messages 0 to %d, not %d".formatted(MAX_MESSAGES - 1, sequence));
        }
        if (previous.isPresent() == (sequence == 0)) {
            throw new IllegalArgumentException("exactly message 0 has no message before it");
        }
    }

    /** The message after this one. */
    public Message next(Move then) {
        return new Message(sequence + 1, Optional.of(digest()), then);
    }

    public byte[] toBytes() {
        return CanonicalEncoder.of("dispute-message")
                .u64(sequence)
                .digest(previous)
                .text(MoveCodec.kind(move))
                .bytes(MoveCodec.write(move))
                .toBytes();
    }

    /** SHA-256 of the bytes. */
    public Sha256 digest() {
        return Hashing.sha256(toBytes());
    }

    /** Reads a message; bytes that are not the one spelling of what they say are refused. */
    public static Message read(byte[] encoded) throws DisputeException {
        if (encoded.length > MAX_BYTES) {
            throw new DisputeException(
                    "a message has at most %d bytes, this one has %d".formatted(MAX_BYTES, encoded.length));
        }
        try {
            CanonicalDecoder in = CanonicalDecoder.open(encoded, "dispute-message");
            long sequence = in.count("sequence", MAX_MESSAGES - 1);
            Optional<Sha256> previous = in.optionalDigest("previous");
            String kind = in.text("kind", 16);
            Move move = MoveCodec.read(kind, in.bytes("move", MAX_BYTES));
            Message message = in.build(() -> new Message(sequence, previous, move));
            if (!Arrays.equals(message.toBytes(), encoded)) {
                throw new DisputeException("not the one spelling of what it says");
            }
            return message;
        } catch (ProtocolException e) {
            throw new DisputeException(String.valueOf(e.getMessage()), e);
        }
    }
}
