package org.bitwitness.replayer;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.bytes.CanonicalDecoder;
import org.bitwitness.protocol.bytes.CanonicalEncoder;
import org.bitwitness.protocol.merkle.MerkleHasher;
import org.bitwitness.protocol.record.Scalars;

/**
 * How far a walk had come, without the tensors it stood at.
 *
 * @param scalars of the state that the walk stood at
 * @param steps replayed so far
 * @param tokens pushed through the model so far
 * @param leaves of the replay proof so far, with {@code peaks} all that its hasher knows
 * @param startedOn when the first process began
 * @param worked time that all processes worked so far
 */
record KeptWalk(
        Scalars scalars, long steps, long tokens, long leaves, List<Sha256> peaks, Instant startedOn, Duration worked) {
    static final String DOMAIN = "kept-walk";
    private static final int MAX_SCALARS_BYTES = 1024;
    private static final int MAX_TIME_BYTES = 64;

    KeptWalk {
        peaks = List.copyOf(peaks);
        if (steps < 0 || tokens < 0 || worked.isNegative()) {
            throw new IllegalArgumentException("counts and times cannot be negative");
        }
    }

    MerkleHasher proof() {
        return MerkleHasher.resume(leaves, peaks);
    }

    byte[] toBytes() {
        return CanonicalEncoder.of(DOMAIN)
                .bytes(scalars.toBytes())
                .u64(steps)
                .u64(tokens)
                .u64(leaves)
                .list(peaks.stream().map(Sha256::bytes).toList())
                .text(startedOn.toString())
                .u64(worked.toNanos())
                .toBytes();
    }

    static KeptWalk decode(byte[] bytes) throws ProtocolException {
        CanonicalDecoder in = CanonicalDecoder.open(bytes, DOMAIN);
        Scalars scalars = Scalars.decode(in.bytes("scalars", MAX_SCALARS_BYTES));
        long steps = in.u64("steps");
        long tokens = in.u64("tokens");
        long leaves = in.u64("leaves");
        List<byte[]> items = in.list("peaks", Long.SIZE);
        String startedOn = in.text("startedOn", MAX_TIME_BYTES);
        long worked = in.u64("worked");
        return in.build(() -> {
            List<Sha256> peaks = new ArrayList<>();
            items.forEach(item -> peaks.add(Sha256.of(item)));
            MerkleHasher.resume(leaves, peaks);
            return new KeptWalk(scalars, steps, tokens, leaves, peaks, time(startedOn), Duration.ofNanos(worked));
        });
    }

    private static Instant time(String text) {
        try {
            return Instant.parse(text);
        } catch (java.time.format.DateTimeParseException e) {
            throw new IllegalArgumentException("startedOn should be a time, is " + text, e);
        }
    }
}
