package org.bitwitness.kernels.program;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.StateBounds;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.protocol.record.OptimizerSpec;
import org.bitwitness.protocol.tensor.Shape;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;

/**
 * Parameters and what their optimizer remembers on the host, in manifest order, with the number of updates done. Mutable:
 * an update changes the arrays in place; nobody else writes into them without forgetting {@link #bounds}.
 */
public final class HostState {
    private final ParameterManifest manifest;
    private final TensorBank parameters;
    private final SequencedMap<String, TensorBank> moments;
    private final StateBounds bounds = new StateBounds();
    private long updateCount;

    /**
     * Shares the arrays.
     *
     * @param moments by prefix ({@link OptimizerSpec#momentPrefixes}), each one array per parameter
     */
    public HostState(
            ParameterManifest manifest,
            float[][] parameters,
            SequencedMap<String, float[][]> moments,
            long updateCount) {
        if (updateCount < 0 || updateCount > 0xffff_fffeL) {
            throw new IllegalArgumentException("the update count is 0 to 2^32 - 2, got " + updateCount);
        }
        this.manifest = manifest;
        this.parameters = TensorBank.of(checked("parameter", manifest, parameters));
        this.moments = new LinkedHashMap<>();
        moments.forEach(
                (prefix, data) -> this.moments.put(prefix, TensorBank.of(checked("moment " + prefix, manifest, data))));
        this.updateCount = updateCount;
    }

    private HostState(
            ParameterManifest manifest,
            TensorBank parameters,
            SequencedMap<String, TensorBank> moments,
            long updateCount) {
        this.manifest = manifest;
        this.parameters = parameters;
        this.moments = moments;
        this.updateCount = updateCount;
    }

    /**
     * A state that is kept elsewhere; to be filled.
     *
     * @param banks by prefix, that of the parameters being empty
     */
    public static HostState in(
            Function<String, TensorBank> banks, ParameterManifest manifest, OptimizerSpec optimizer, long updateCount) {
        SequencedMap<String, TensorBank> moments = new LinkedHashMap<>();
        optimizer.momentPrefixes().forEach(prefix -> moments.put(prefix, banks.apply(prefix)));
        return new HostState(manifest, banks.apply(""), moments, updateCount);
    }

    /** All tensors +0: to be filled. */
    public static HostState zero(ParameterManifest manifest, OptimizerSpec optimizer, long updateCount) {
        SequencedMap<String, float[][]> moments = new LinkedHashMap<>();
        optimizer.momentPrefixes().forEach(prefix -> moments.put(prefix, zeros(manifest)));
        return new HostState(manifest, zeros(manifest), moments, updateCount);
    }

    /** Parameters only, all +0: for whoever computes gradients while others keep the moments. */
    public static HostState withoutMoments(ParameterManifest manifest, long updateCount) {
        return new HostState(manifest, zeros(manifest), new LinkedHashMap<>(), updateCount);
    }

    /**
     * State 0 of a run that starts from a seed: matrices and embeddings drawn, gains 1, biases and moments +0.
     *
     * @param backend draws the weights; every backend draws the same bits
     */
    public static HostState initial(
            ParameterManifest manifest, InitialWeights initial, OptimizerSpec optimizer, Backend backend) {
        HostState state = zero(manifest, optimizer, 0);
        state.draw(initial, backend);
        return state;
    }

    /** Makes this the state 0 of {@link #initial}. */
    public void draw(InitialWeights initial, Backend backend) {
        for (Parameter p : manifest.parameters()) {
            float[] weights = inMemory() ? parameters.get(p.index()) : new float[p.size()];
            switch (p.init()) {
                case NORMAL -> draw(p, initial.seed(), (float) initial.std(), weights, backend);
                case NORMAL_PROJECTION -> draw(p, initial.seed(), (float) initial.projectionStd(), weights, backend);
                case ONES -> Arrays.fill(weights, 1f);
                case ZEROS -> Arrays.fill(weights, 0f);
            }
            parameters.put(p.index(), weights);
            if (!inMemory()) {
                moments.values().forEach(moment -> moment.put(p.index(), new float[p.size()]));
            }
        }
    }

    /** Whether the arrays are here; else every look at one reads a copy. */
    public boolean inMemory() {
        return parameters.inMemory();
    }

    /** Replaces a parameter; the empty prefix, or a moment's. */
    public void put(String prefix, int index, float[] data) {
        bank(prefix).put(index, data);
    }

    /** A parameter under the empty prefix, or a moment. */
    public float[] get(String prefix, int index) {
        return bank(prefix).get(index);
    }

    private TensorBank bank(String prefix) {
        if (prefix.isEmpty()) {
            return parameters;
        }
        TensorBank data = moments.get(prefix);
        if (data == null) {
            throw new IllegalArgumentException("the state has the moments %s, not %s: it belongs to another optimizer"
                    .formatted(moments.keySet(), prefix));
        }
        return data;
    }

    /**
     * How parameters are drawn.
     *
     * @param seed key of the generator
     * @param std standard deviation of matrices and embeddings, binary64
     * @param projectionStd standard deviation of the projections into the residual stream, binary64
     */
    public record InitialWeights(long seed, double std, double projectionStd) {
        public InitialWeights {
            if (!(std >= 0)
                    || !(projectionStd >= 0)
                    || !Float.isFinite((float) std)
                    || !Float.isFinite((float) projectionStd)) {
                throw new IllegalArgumentException(
                        "standard deviations are finite and not negative, got %s and %s".formatted(std, projectionStd));
            }
        }
    }

    public ParameterManifest manifest() {
        return manifest;
    }

    /** The array itself, where the state is in memory. */
    public float[] parameter(int index) {
        return parameters.get(index);
    }

    /** Prefixes of the moments' names, in the optimizer's order: {@code m.}. */
    public Set<String> momentPrefixes() {
        return Collections.unmodifiableSet(moments.sequencedKeySet());
    }

    /**
     * One moment of a parameter: the array itself, where the state is in memory.
     *
     * @throws IllegalArgumentException if this state's optimizer keeps no such moment
     */
    public float[] moment(String prefix, int index) {
        return bank(prefix).get(index);
    }

    /** Bytes of all moments. */
    public long momentBytes() {
        long elements =
                manifest.parameters().stream().mapToLong(Parameter::size).sum();
        return elements * Float.BYTES * moments.size();
    }

    /** First moment or momentum buffer: the array itself. */
    public float[] m(int index) {
        return moment(OptimizerSpec.FIRST_MOMENT, index);
    }

    /** Second moment: the array itself. */
    public float[] v(int index) {
        return moment(OptimizerSpec.SECOND_MOMENT, index);
    }

    /**
     * Every tensor under its name, without copies: per parameter in manifest order the parameter, then its moments. What a
     * state root covers, a checkpoint holds and a worker is sent.
     */
    public List<F32Tensor> tensors() {
        return slots().stream().map(Slot::read).toList();
    }

    /** One tensor of the state, read when somebody wants it. */
    public record Slot(String name, Shape shape, Supplier<float[]> data) {
        public F32Tensor read() {
            return F32Tensor.of(name, shape, data.get());
        }
    }

    /** {@link #tensors} in the same order, none of them read yet. */
    public List<Slot> slots() {
        List<Slot> out = new ArrayList<>();
        for (Parameter p : manifest.parameters()) {
            out.add(new Slot(p.name(), p.shape(), () -> parameters.get(p.index())));
            moments.forEach(
                    (prefix, data) -> out.add(new Slot(prefix + p.name(), p.shape(), () -> data.get(p.index()))));
        }
        return out;
    }

    /** Updates done so far; INVALID steps do not count. */
    public long updateCount() {
        return updateCount;
    }

    /** Called by the engine after a valid update. */
    public void countUpdate() {
        updateCount++;
    }

    /** What the last update left known; {@link StateBounds#forget} it after writing into an array. */
    public StateBounds bounds() {
        return bounds;
    }

    public HostState copy() {
        SequencedMap<String, TensorBank> copies = new LinkedHashMap<>();
        moments.forEach((prefix, data) -> copies.put(prefix, copyOf(data)));
        HostState copy = new HostState(manifest, copyOf(parameters), copies, updateCount);
        copy.bounds.set(bounds.bySlot());
        return copy;
    }

    /**
     * Makes {@code room} equal to this, without new arrays.
     *
     * @param room in memory, of the same manifest and moments
     */
    public void copyTo(HostState room) {
        if (!room.manifest.equals(manifest) || !room.momentPrefixes().equals(momentPrefixes()) || !room.inMemory()) {
            throw new IllegalArgumentException("the room has other tensors than the state, or none in memory");
        }
        for (int i = 0; i < manifest.count(); i++) {
            copy(parameters.get(i), room.parameters.get(i));
            for (String prefix : moments.keySet()) {
                copy(bank(prefix).get(i), room.bank(prefix).get(i));
            }
        }
        room.updateCount = updateCount;
        room.bounds.set(bounds.bySlot());
    }

    private static void copy(float[] from, float[] to) {
        System.arraycopy(from, 0, to, 0, from.length);
    }

    @SuppressWarnings("ReferenceEquality") // asks whether the backend shares the array
    private static void draw(Parameter p, long seed, float std, float[] into, Backend backend) {
        Tensor tensor = Tensor.declare(p.name(), p.shape());
        backend.bind(tensor, into);
        backend.fillInitial(tensor, seed, p.index(), std);
        float[] drawn = backend.fetch(tensor);
        if (drawn != into) {
            System.arraycopy(drawn, 0, into, 0, into.length);
        }
        backend.release(List.of(tensor));
    }

    private static float[][] checked(String what, ParameterManifest manifest, float[][] arrays) {
        if (arrays.length != manifest.count()) {
            throw new IllegalArgumentException(
                    "need %d %s tensors, got %d".formatted(manifest.count(), what, arrays.length));
        }
        for (Parameter p : manifest.parameters()) {
            if (arrays[p.index()].length != p.size()) {
                throw new IllegalArgumentException("the %s %s %s should have %d elements, has %d"
                        .formatted(what, p.name(), p.shape(), p.size(), arrays[p.index()].length));
            }
        }
        return arrays.clone();
    }

    private static float[][] zeros(ParameterManifest manifest) {
        float[][] out = new float[manifest.count()][];
        manifest.parameters().forEach(p -> out[p.index()] = new float[p.size()]);
        return out;
    }

    private TensorBank copyOf(TensorBank bank) {
        float[][] copy = new float[manifest.count()][];
        for (int i = 0; i < copy.length; i++) {
            copy[i] = bank.get(i).clone();
        }
        return TensorBank.of(copy);
    }
}
