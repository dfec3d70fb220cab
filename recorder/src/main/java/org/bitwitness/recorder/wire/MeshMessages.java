package org.bitwitness.recorder.wire;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.bytes.CanonicalDecoder;
import org.bitwitness.protocol.bytes.CanonicalEncoder;

/** Payloads of the frames with which workers find each other and exchange gradients directly. */
public final class MeshMessages {
    private static final int MAX_WORKERS = 1 << 16;
    private static final int MAX_SEGMENTS = 1 << 20;
    private static final int MAX_BUCKET_SEGMENTS = 1 << 16;
    private static final int MAX_SHARD_DIGESTS = 1 << 21;
    private static final int MAX_ADDRESS = 16;
    private static final int MAX_REASON = 512;

    private MeshMessages() {}

    /**
     * Coordinator to worker: listen for the other workers.
     *
     * @param secret that they will show, made for this run
     * @param position of the worker in the layout
     * @param secure whether workers talk by TLS
     * @param bucketBytes about how much is sent at a time; changes no bit
     * @param limitMillis longest wait for another worker's numbers
     */
    public record Open(Sha256 secret, int position, int workers, boolean secure, int bucketBytes, long limitMillis) {
        public Open {
            if (position < 0 || position >= workers || bucketBytes < 1 || limitMillis < 1) {
                throw new IllegalArgumentException("no place %d of %d, bucket %d or limit %d"
                        .formatted(position, workers, bucketBytes, limitMillis));
            }
        }

        public byte[] toBytes() {
            return CanonicalEncoder.of("wire-mesh-open")
                    .digest(secret)
                    .u64(position)
                    .u64(workers)
                    .flag(secure)
                    .u64(bucketBytes)
                    .u64(limitMillis)
                    .toBytes();
        }

        public static Open read(byte[] payload) throws ProtocolException {
            CanonicalDecoder in = CanonicalDecoder.open(payload, "wire-mesh-open");
            Sha256 secret = in.digest("secret");
            int position = in.count("position", MAX_WORKERS);
            int workers = in.count("workers", MAX_WORKERS);
            boolean secure = in.flag("secure");
            int bucketBytes = in.count("bucketBytes", 1 << 30);
            long limitMillis = in.u64("limitMillis");
            return in.build(() -> new Open(secret, position, workers, secure, bucketBytes, limitMillis));
        }

        /** Never the secret. */
        @Override
        public String toString() {
            return "place %d of %d".formatted(position, workers);
        }
    }

    /**
     * Worker to coordinator: where it listens.
     *
     * @param fingerprint of its certificate, where workers talk by TLS
     */
    public record At(int port, Optional<Sha256> fingerprint) {
        public byte[] toBytes() {
            return CanonicalEncoder.of("wire-mesh-at")
                    .u64(port)
                    .digest(fingerprint)
                    .toBytes();
        }

        public static At read(byte[] payload) throws ProtocolException {
            CanonicalDecoder in = CanonicalDecoder.open(payload, "wire-mesh-at");
            int port = in.count("port", 65_535);
            Optional<Sha256> fingerprint = in.optionalDigest("fingerprint");
            return in.build(() -> new At(port, fingerprint));
        }
    }

    /** One worker, as the others reach it. */
    public record Peer(InetAddress address, At at) {}

    /** Coordinator to worker: all workers in layout order. */
    public static byte[] writePeers(List<Peer> peers) {
        return CanonicalEncoder.of("wire-mesh-peers")
                .list(peers.stream().map(MeshMessages::peer).toList())
                .toBytes();
    }

    private static byte[] peer(Peer peer) {
        return CanonicalEncoder.of("wire-mesh-peer")
                .bytes(peer.address().getAddress())
                .bytes(peer.at().toBytes())
                .toBytes();
    }

    public static List<Peer> readPeers(byte[] payload) throws ProtocolException {
        CanonicalDecoder in = CanonicalDecoder.open(payload, "wire-mesh-peers");
        List<Peer> peers = new ArrayList<>();
        for (byte[] item : in.list("peers", MAX_WORKERS)) {
            CanonicalDecoder one = CanonicalDecoder.open(item, "wire-mesh-peer");
            byte[] address = one.bytes("address", MAX_ADDRESS);
            At at = At.read(one.bytes("at", 256));
            peers.add(one.build(() -> new Peer(address(address), at)));
        }
        in.end();
        return peers;
    }

    private static InetAddress address(byte[] raw) {
        try {
            return InetAddress.getByAddress(raw);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("an address has 4 or 16 bytes, got " + raw.length, e);
        }
    }

    /** Worker to worker, once: who I am. */
    public record Hello(Sha256 secret, int position) {
        public byte[] toBytes() {
            return CanonicalEncoder.of("wire-mesh-hello")
                    .digest(secret)
                    .u64(position)
                    .toBytes();
        }

        public static Hello read(byte[] payload) throws ProtocolException {
            CanonicalDecoder in = CanonicalDecoder.open(payload, "wire-mesh-hello");
            Sha256 secret = in.digest("secret");
            int position = in.count("position", MAX_WORKERS);
            return in.build(() -> new Hello(secret, position));
        }

        /** Never the secret. */
        @Override
        public String toString() {
            return "worker at place " + position;
        }
    }

    /**
     * Worker to worker: the numbers of some segments follow.
     *
     * @param combined whether they are the sender's segments after combining (sums, or parameters that it has updated by them),
     *     or its own gradient in segments of the receiver
     * @param segments in the order of the plan
     */
    public record Bucket(StepIndex step, boolean combined, List<Integer> segments) {
        public Bucket {
            segments = List.copyOf(segments);
        }

        public byte[] toBytes() {
            return CanonicalEncoder.of("wire-bucket")
                    .u64(step.value())
                    .flag(combined)
                    .packed32(segments.stream().mapToInt(Integer::intValue).toArray())
                    .toBytes();
        }

        public static Bucket read(byte[] payload) throws ProtocolException {
            CanonicalDecoder in = CanonicalDecoder.open(payload, "wire-bucket");
            long step = in.u64("step");
            boolean combined = in.flag("combined");
            int[] segments = in.packed32("segments", MAX_BUCKET_SEGMENTS);
            return in.build(() -> new Bucket(
                    new StepIndex(step),
                    combined,
                    Arrays.stream(segments).boxed().toList()));
        }
    }

    /**
     * Worker to coordinator: what it made of its segments; the combined numbers follow.
     *
     * @param roots of every segment of this shard in every worker's gradient: worker by worker in layout order
     * @param sums of squares of every combined segment
     * @param exponents of every segment where the rule is EXACT, else none
     */
    public record Shard(StepIndex step, List<Sha256> roots, List<Double> sums, List<Integer> exponents) {
        public Shard {
            roots = List.copyOf(roots);
            sums = List.copyOf(sums);
            exponents = List.copyOf(exponents);
        }

        public byte[] toBytes() {
            ByteBuffer digests = ByteBuffer.allocate(roots.size() * Sha256.BYTES);
            roots.forEach(root -> digests.put(root.bytes()));
            return CanonicalEncoder.of("wire-shard")
                    .u64(step.value())
                    .bytes(digests.array())
                    .u64List(
                            sums.stream().mapToLong(Double::doubleToRawLongBits).toArray())
                    .packed32(exponents.stream().mapToInt(Integer::intValue).toArray())
                    .toBytes();
        }

        public static Shard read(byte[] payload) throws ProtocolException {
            CanonicalDecoder in = CanonicalDecoder.open(payload, "wire-shard");
            long step = in.u64("step");
            byte[] digests = in.bytes("roots", MAX_SHARD_DIGESTS * Sha256.BYTES);
            long[] sums = in.u64List("sums", MAX_SEGMENTS);
            int[] exponents = in.packed32("exponents", MAX_SEGMENTS);
            return in.build(() -> new Shard(
                    new StepIndex(step),
                    StateMessages.digests(digests),
                    Arrays.stream(sums).mapToObj(Double::longBitsToDouble).toList(),
                    Arrays.stream(exponents).boxed().toList()));
        }
    }

    /** Worker to coordinator instead of any answer: another worker is the trouble. */
    public static byte[] writeLost(int position, String reason) {
        return CanonicalEncoder.of("wire-peer-lost")
                .u64(position)
                .text(reason.length() > MAX_REASON / 4 ? reason.substring(0, MAX_REASON / 4) : reason)
                .toBytes();
    }

    static PeerLostException readLost(byte[] payload) throws ProtocolException {
        CanonicalDecoder in = CanonicalDecoder.open(payload, "wire-peer-lost");
        int position = in.count("position", MAX_WORKERS);
        String reason = in.text("reason", MAX_REASON);
        return in.build(() -> new PeerLostException(position, Messages.plain(reason)));
    }
}
