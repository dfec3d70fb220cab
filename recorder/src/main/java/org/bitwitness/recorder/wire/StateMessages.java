package org.bitwitness.recorder.wire;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.bytes.CanonicalDecoder;
import org.bitwitness.protocol.bytes.CanonicalEncoder;

/** Payloads of the frames in which a worker says what it holds of the state, and whether it can be updated. */
public final class StateMessages {
    private static final int MAX_DIGESTS = 1 << 21;

    private StateMessages() {}

    /**
     * What a worker holds: payload of UPDATED.
     *
     * @param root of the whole state; over the parameters alone where the worker keeps a share of the moments
     * @param moments roots of the segments of that share, all segments of the first moment first; empty where it keeps all
     */
    public record Held(Sha256 root, List<Sha256> moments) {
        public Held {
            moments = List.copyOf(moments);
        }

        public byte[] toBytes() {
            ByteBuffer digests = ByteBuffer.allocate(moments.size() * Sha256.BYTES);
            moments.forEach(digest -> digests.put(digest.bytes()));
            return CanonicalEncoder.of("wire-state")
                    .digest(root)
                    .bytes(digests.array())
                    .toBytes();
        }

        public static Held read(byte[] payload) throws ProtocolException {
            CanonicalDecoder in = CanonicalDecoder.open(payload, "wire-state");
            Sha256 root = in.digest("root");
            byte[] packed = in.bytes("moments", MAX_DIGESTS * Sha256.BYTES);
            return in.build(() -> new Held(root, digests(packed)));
        }
    }

    static List<Sha256> digests(byte[] packed) {
        if (packed.length % Sha256.BYTES != 0) {
            throw new IllegalArgumentException(packed.length + " bytes are no list of digests");
        }
        ByteBuffer in = ByteBuffer.wrap(packed);
        List<Sha256> out = new ArrayList<>();
        while (in.hasRemaining()) {
            out.add(Sha256.read(in));
        }
        return out;
    }

    /**
     * The state has arrived.
     *
     * @param momentBytes that this worker keeps of the optimizer's moments
     * @param probe of a worker on another host: what a small step gives there
     */
    public record Ready(Held held, long momentBytes, Optional<Sha256> probe) {
        public byte[] toBytes() {
            return CanonicalEncoder.of("wire-ready")
                    .bytes(held.toBytes())
                    .u64(momentBytes)
                    .digest(probe)
                    .toBytes();
        }

        public static Ready read(byte[] payload) throws ProtocolException {
            CanonicalDecoder in = CanonicalDecoder.open(payload, "wire-ready");
            Held held = Held.read(in.bytes("held", (MAX_DIGESTS + 8) * Sha256.BYTES));
            long momentBytes = in.u64("momentBytes");
            Optional<Sha256> probe = in.optionalDigest("probe");
            return in.build(() -> new Ready(held, momentBytes, probe));
        }
    }

    /** Yes or no: payload of VOTE, whether a worker's share can be updated, and of DECIDED, whether all are. */
    public static byte[] writeFlag(boolean yes) {
        return CanonicalEncoder.of("wire-flag").flag(yes).toBytes();
    }

    public static boolean readFlag(byte[] payload) throws ProtocolException {
        CanonicalDecoder in = CanonicalDecoder.open(payload, "wire-flag");
        boolean yes = in.flag("yes");
        in.end();
        return yes;
    }
}
