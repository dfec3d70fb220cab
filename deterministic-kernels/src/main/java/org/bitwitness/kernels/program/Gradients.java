package org.bitwitness.kernels.program;

/** One float32 gradient per parameter, in manifest order, on the host. The arrays are shared, not copied. */
public final class Gradients {
    private final ParameterManifest manifest;
    private final float[][] data;

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
        this.data = data.clone();
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

    /** The array itself. */
    public float[] tensor(int index) {
        return data[index];
    }

    /** The array itself. */
    public float[] tensor(String name) {
        return data[manifest.get(name).index()];
    }

    public Gradients copy() {
        float[][] copy = new float[data.length][];
        for (int i = 0; i < data.length; i++) {
            copy[i] = data[i].clone();
        }
        return new Gradients(manifest, copy);
    }
}
