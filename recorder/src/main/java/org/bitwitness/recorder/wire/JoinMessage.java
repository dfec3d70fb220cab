package org.bitwitness.recorder.wire;

import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.bytes.CanonicalDecoder;
import org.bitwitness.protocol.bytes.CanonicalEncoder;

/**
 * Payload of JOIN: a worker that a person started on some host.
 *
 * @param secret from the run's token file
 * @param host name under which the coordinator expects workers
 * @param version of Bitwitness there
 */
public record JoinMessage(Sha256 secret, String host, long pid, String version) {
    /** Longest name of a host. */
    public static final int MAX_HOST = 253;

    private static final int MAX_VERSION = 64;

    public JoinMessage {
        if (!isHost(host) || version.length() > MAX_VERSION || pid < 0) {
            throw new IllegalArgumentException(
                    "a host is 1 to %d letters, digits, dots, dashes and underscores, got \"%s\""
                            .formatted(MAX_HOST, printable(host)));
        }
    }

    /** Whether this can be the name or the IPv4 address of a host. */
    public static boolean isHost(String name) {
        return !name.isEmpty()
                && name.length() <= MAX_HOST
                && name.chars()
                        .allMatch(c -> (c >= 'a' && c <= 'z')
                                || (c >= 'A' && c <= 'Z')
                                || (c >= '0' && c <= '9')
                                || c == '.'
                                || c == '-'
                                || c == '_');
    }

    public byte[] toBytes() {
        return CanonicalEncoder.of("wire-join")
                .digest(secret)
                .text(host)
                .u64(pid)
                .text(version)
                .toBytes();
    }

    public static JoinMessage read(byte[] payload) throws ProtocolException {
        CanonicalDecoder in = CanonicalDecoder.open(payload, "wire-join");
        Sha256 secret = in.digest("secret");
        String host = in.text("host", MAX_HOST);
        long pid = in.u64("pid");
        String version = in.text("version", MAX_VERSION);
        return in.build(() -> new JoinMessage(secret, host, pid, version));
    }

    private static String printable(String text) {
        return text.length() > MAX_HOST ? text.length() + " characters" : text.replaceAll("[^ -~]", "?");
    }

    /** Never the secret. */
    @Override
    public String toString() {
        return "worker on %s (process %d, version %s)".formatted(host, pid, version);
    }
}
