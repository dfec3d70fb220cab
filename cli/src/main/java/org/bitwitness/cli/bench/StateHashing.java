package org.bitwitness.cli.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.tensor.Shape;
import org.bitwitness.protocol.tensor.TensorDigests;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;

/** What hashing brings on one thread, beside OpenSSL's SHA-256 over chunks of the same size. */
final class StateHashing {
    static final String NAME = "state hashing (peer: openssl)";
    private static final int FLOATS = 32 << 20;
    private static final int TENSORS = 64;
    private static final double GIB = 1024.0 * 1024 * 1024;
    private static final List<String> OPENSSL = List.of(
            "openssl",
            "speed",
            "-evp",
            "sha256",
            "-bytes",
            Integer.toString(TensorDigests.CHUNK_BYTES),
            "-seconds",
            "1",
            "-mr");

    private StateHashing() {}

    /** A whole state: {@value #TENSORS} tensors of together 128 MiB, as the recorder hashes one. */
    static BenchRow measure(int runs) throws Exception {
        List<F32Tensor> tensors = new ArrayList<>();
        for (int i = 0; i < TENSORS; i++) {
            tensors.add(F32Tensor.of("t" + i, Shape.of(FLOATS / TENSORS), counting(FLOATS / TENSORS)));
        }
        Sha256 expected = TensorDigests.tensorsRoot(tensors, Runnable::run);
        return Alternating.gibibytesPerSecond(
                NAME,
                1,
                runs,
                () -> rate(expected, () -> TensorDigests.tensorsRoot(tensors, Runnable::run)),
                StateHashing::openssl);
    }

    /** One tensor of 128 MiB. */
    static BenchRow tensor(int runs) throws Exception {
        float[] tensor = counting(FLOATS);
        Sha256 expected = TensorDigests.tensorRoot(tensor, 0, FLOATS);
        return Alternating.gibibytesPerSecond(
                "tensorRoot",
                1,
                runs,
                () -> rate(expected, () -> TensorDigests.tensorRoot(tensor, 0, FLOATS)),
                StateHashing::openssl);
    }

    private static float[] counting(int count) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = i;
        }
        return values;
    }

    private static double rate(Sha256 expected, Supplier<Sha256> work) {
        long started = System.nanoTime();
        Sha256 root = work.get();
        double seconds = (System.nanoTime() - started) / 1e9;
        if (!root.equals(expected)) {
            throw new IllegalStateException("the same tensors hashed to " + expected + " and to " + root);
        }
        return FLOATS * (double) Float.BYTES / GIB / seconds;
    }

    private static double openssl() throws Exception {
        return opensslRate(PeerProcess.output(OPENSSL));
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
