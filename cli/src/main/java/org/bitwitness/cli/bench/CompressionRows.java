package org.bitwitness.cli.bench;

import com.github.luben.zstd.Zstd;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.bitwitness.protocol.StateIndex;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.format.StateFile;

/**
 * States of consecutive steps, compressed: what keeping every state costs, beside the update log. The recording needs no
 * such files; the rows say what they would come to, in bytes a step and in GiB of state a second to have one back.
 */
final class CompressionRows {
    static final String NAME = "states ";
    private static final int LEVEL = 3;
    private static final int STATES = 10;

    private static final List<Part> PARTS = List.of(
            new Part("whole", _ -> true),
            new Part("parameters", name -> !name.startsWith("m.") && !name.startsWith("v.")),
            new Part("m", name -> name.startsWith("m.")),
            new Part("v", name -> name.startsWith("v.")));

    /** Tensors of a state. */
    private record Part(String name, Predicate<String> tensors) {}

    private enum Method {
        ZSTD("zstd -3", false, false),
        PLANES("byte planes, zstd -3", true, false),
        DELTA("XOR with the state before, byte planes, zstd -3", true, true);

        private final String text;
        private final boolean planes;
        private final boolean delta;

        Method(String text, boolean planes, boolean delta) {
            this.text = text;
            this.planes = planes;
            this.delta = delta;
        }
    }

    private final RecordingReader run;
    private final long last;

    /** @param last index of the last state; those before it are stored, too */
    CompressionRows(Path recording, long last) throws Exception {
        this.run = RecordingReader.open(recording);
        this.last = last;
    }

    List<BenchRow> measure(int runs) throws Exception {
        List<BenchRow> rows = new ArrayList<>();
        for (Part part : PARTS) {
            List<byte[]> states = new ArrayList<>();
            for (long t = last - STATES; t <= last; t++) {
                states.add(bytes(t, part));
            }
            for (Method method : Method.values()) {
                rows.addAll(rows(NAME + part.name() + ", " + method.text, states, method, runs));
            }
        }
        return rows;
    }

    private static List<BenchRow> rows(String name, List<byte[]> states, Method method, int runs) throws Exception {
        int raw = states.getFirst().length;
        List<List<byte[]>> packed = new ArrayList<>();
        double bytes = 0;
        for (int i = 1; i < states.size(); i++) {
            List<byte[]> one = pack(states.get(i), states.get(i - 1), method);
            packed.add(one);
            bytes += one.stream().mapToInt(plane -> plane.length).sum();
        }
        bytes /= packed.size();
        return List.of(
                new BenchRow(name, bytes, raw, "B/step", raw / bytes, 1, 1),
                Alternating.gibibytesPerSecond(
                        name + ", restored (peer: 400 MB/s)",
                        1,
                        runs,
                        () -> restore(states, packed, method),
                        () -> 400e6 / (1L << 30)));
    }

    private static double restore(List<byte[]> states, List<List<byte[]>> packed, Method method) {
        long nanos = 0;
        for (int i = 0; i < packed.size(); i++) {
            long started = System.nanoTime();
            byte[] found = unpack(packed.get(i), states.get(i), method);
            nanos += System.nanoTime() - started;
            if (!Arrays.equals(found, states.get(i + 1))) {
                throw new IllegalStateException(method.text + " does not give back what it packed");
            }
        }
        return packed.size() * (double) states.getFirst().length / (1L << 30) / (nanos / 1e9);
    }

    private static List<byte[]> pack(byte[] state, byte[] before, Method method) {
        byte[] data = method.delta ? xor(state, before) : state;
        List<byte[]> out = new ArrayList<>();
        for (byte[] plane : method.planes ? planes(data) : List.of(data)) {
            out.add(Zstd.compress(plane, LEVEL));
        }
        return out;
    }

    private static byte[] unpack(List<byte[]> packed, byte[] before, Method method) {
        int size = before.length / packed.size();
        byte[] data = new byte[before.length];
        for (int p = 0; p < packed.size(); p++) {
            byte[] plane = Zstd.decompress(packed.get(p), size);
            for (int i = 0; i < size; i++) {
                data[i * packed.size() + p] = plane[i];
            }
        }
        return method.delta ? xor(data, before) : data;
    }

    private static List<byte[]> planes(byte[] data) {
        List<byte[]> planes = new ArrayList<>();
        for (int p = 0; p < Float.BYTES; p++) {
            byte[] plane = new byte[data.length / Float.BYTES];
            for (int i = 0; i < plane.length; i++) {
                plane[i] = data[i * Float.BYTES + p];
            }
            planes.add(plane);
        }
        return planes;
    }

    private static byte[] xor(byte[] one, byte[] other) {
        byte[] out = new byte[one.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = (byte) (one[i] ^ other[i]);
        }
        return out;
    }

    private byte[] bytes(long t, Part part) throws Exception {
        try (StateFile state = run.state(new StateIndex(t))) {
            List<float[]> tensors = new ArrayList<>();
            for (String name : state.tensors().keySet()) {
                if (part.tensors().test(name)) {
                    tensors.add(state.read(name));
                }
            }
            int floats = tensors.stream().mapToInt(tensor -> tensor.length).sum();
            ByteBuffer out = ByteBuffer.allocate(floats * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
            for (float[] tensor : tensors) {
                for (float value : tensor) {
                    out.putInt(Float.floatToRawIntBits(value));
                }
            }
            return out.array();
        }
    }
}
