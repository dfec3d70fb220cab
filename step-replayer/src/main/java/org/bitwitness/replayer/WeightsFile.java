package org.bitwitness.replayer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.protocol.format.Safetensors;
import org.bitwitness.protocol.tensor.Shape;
import org.bitwitness.protocol.tensor.TensorDigests;
import org.bitwitness.protocol.tensor.Utf8Order;

/** The released weights of a state, of which one tensor is read at a time; best asked from the beginning to the end. */
final class WeightsFile implements Contents {
    private final HostState state;
    private final List<Parameter> ordered;
    private final byte[] head;
    private final long[] starts;

    // The tensor that was read last.
    private int at = -1;
    private Optional<float[]> numbers = Optional.empty();

    WeightsFile(HostState state) {
        this.state = state;
        this.ordered = new ArrayList<>(state.manifest().parameters());
        ordered.sort(Comparator.comparing(Parameter::name, Utf8Order.COMPARATOR));
        SequencedMap<String, Shape> shapes = new LinkedHashMap<>();
        ordered.forEach(p -> shapes.put(p.name(), p.shape()));
        this.head = Safetensors.head(shapes);
        this.starts = new long[ordered.size() + 1];
        starts[0] = head.length;
        for (int i = 0; i < ordered.size(); i++) {
            starts[i + 1] = Math.addExact(starts[i], (long) ordered.get(i).size() * Float.BYTES);
        }
    }

    @Override
    public long size() {
        return starts[ordered.size()];
    }

    @Override
    public byte[] bytes(long from, int length) {
        ByteBuffer out = ByteBuffer.allocate(length);
        if (from < head.length) {
            out.put(head, (int) from, (int) Math.min(length, head.length - from));
        }
        for (int i = 0; i < ordered.size() && out.hasRemaining(); i++) {
            long next = from + out.position();
            if (next >= starts[i] && next < starts[i + 1]) {
                put(i, next - starts[i], (int) Math.min(out.remaining(), starts[i + 1] - next), out);
            }
        }
        return out.array();
    }

    /** Bytes of one tensor, which need not begin or end with a number. */
    private void put(int index, long from, int length, ByteBuffer out) {
        int first = Math.toIntExact(from / Float.BYTES);
        int end = Math.toIntExact(Math.ceilDiv(from + length, (long) Float.BYTES));
        ByteBuffer whole = ByteBuffer.allocate((end - first) * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        TensorDigests.putLittleEndian(tensor(index), first, end - first, whole);
        out.put(whole.array(), (int) (from % Float.BYTES), length);
    }

    private float[] tensor(int index) {
        if (at != index) {
            numbers = Optional.empty();
            numbers = Optional.of(state.parameter(ordered.get(index).index()));
            at = index;
        }
        return numbers.orElseThrow();
    }
}
