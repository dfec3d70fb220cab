package org.bitwitness.cli.bench;

import java.util.Arrays;
import java.util.List;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.tensor.TensorDigests;

/** The root of a tensor, one thread, against OpenSSL's SHA-256 over chunks of the same size. */
final class HashGroup implements BenchGroup {
    private static final int FLOATS = 32 << 20;
    private static final double GIB = 1024.0 * 1024 * 1024;

    @Override
    public String name() {
        return "hash";
    }

    @Override
    public String describes() {
        return "tensorRoot of 128 MiB against openssl speed -evp sha256, chunks of 16 KiB";
    }

    @Override
    public List<BenchRow> measure(int runs) throws Exception {
        float[] tensor = new float[FLOATS];
        for (int i = 0; i < FLOATS; i++) {
            tensor[i] = i;
        }
        Sha256 expected = TensorDigests.tensorRoot(tensor, 0, FLOATS);
        List<String> openssl = List.of(
                "openssl",
                "speed",
                "-evp",
                "sha256",
                "-bytes",
                Integer.toString(TensorDigests.CHUNK_BYTES),
                "-seconds",
                "1",
                "-mr");
        return List.of(Alternating.gibibytesPerSecond(
                "tensorRoot", 1, runs, () -> ours(tensor, expected), () -> opensslRate(PeerProcess.output(openssl))));
    }

    private static double ours(float[] tensor, Sha256 expected) {
        long started = System.nanoTime();
        Sha256 root = TensorDigests.tensorRoot(tensor, 0, tensor.length);
        double seconds = (System.nanoTime() - started) / 1e9;
        if (!root.equals(expected)) {
            throw new IllegalStateException("the same tensor hashed to " + expected + " and to " + root);
        }
        return tensor.length * (double) Float.BYTES / GIB / seconds;
    }

    /** From the line {@code +F:25:sha256:1234567.00}, bytes a second. */
    static double opensslRate(String output) throws CommandFailure {
        String line = output.lines()
                .filter(found -> found.startsWith("+F:"))
                .findFirst()
                .orElseThrow(() -> CommandFailure.usage("openssl speed printed no +F: line: " + output.strip()));
        List<String> fields = Arrays.asList(line.split(":"));
        return Double.parseDouble(fields.getLast()) / GIB;
    }
}
