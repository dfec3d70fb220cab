package org.bitwitness.kernels.program;

/** One float32 gradient per parameter, in manifest order, on the host: arrays that are shared, or kept elsewhere. */
public final class Gradients {
    private final ParameterManifest manifest;
    private final TensorBank data;

    public Gradients(ParameterManifest manifest, float[][] data) {
        if (data.length != manifest.count()) {
            throw new IllegalArgumentException(
                    "need %d gradient tensors, got %d".formatted(manifest.count(), data.length));
        }
        for (Parameter p : manifest.parameters()) {
            if (data[p.index()].length != p.size()) {
                throw new IllegalArgumentException("the gradient of %s %s should have %d elements, has %d"
                        .formatted(p.name(), p.shape(), p.size(), data[p.index()].length));
            }
        }
        this.manifest = manifest;
        this.data = TensorBank.of(data.clone());
    }

    private Gradients(ParameterManifest manifest, TensorBank data) {
        this.manifest = manifest;
        this.data = data;
    }

    /** Kept elsewhere; to be filled. */
    public static Gradients in(TensorBank bank, ParameterManifest manifest) {
        return new Gradients(manifest, bank);
    }

    /** Takes over these numbers; the array stays the caller's. */
    public void keep(int index, float[] numbers) {
        if (data.inMemory()) {
            System.arraycopy(numbers, 0, data.get(index), 0, numbers.length);
        } else {
            data.put(index, numbers);
        }
    }

    /** The same numbers, kept in {@code bank}. */
    public Gradients keptIn(TensorBank bank) {
        for (int i = 0; i < manifest.count(); i++) {
            bank.put(i, data.get(i));
        }
        return new Gradients(manifest, bank);
    }

    /** Whether {@link #tensor} gives the array itself, and not a copy of what is kept elsewhere. */
    public boolean inMemory() {
        return data.inMemory();
    }

    /** All +0. */
    public static Gradients zero(ParameterManifest manifest) {
        float[][] data = new float[manifest.count()][];
        manifest.parameters().forEach(p -> data[p.index()] = new float[p.size()]);
        return new Gradients(manifest, data);
    }

    public ParameterManifest manifest() {
        return manifest;
    }

    /** The array itself, where the gradients are in memory. */
    public float[] tensor(int index) {
        return data.get(index);
    }

    /** The array itself. */
    public float[] tensor(String name) {
        return data.get(manifest.get(name).index());
    }

    public Gradients copy() {
        float[][] copy = new float[manifest.count()][];
        for (int i = 0; i < copy.length; i++) {
            copy[i] = data.get(i).clone();
        }
        return new Gradients(manifest, copy);
    }
}
