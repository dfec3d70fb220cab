package org.bitwitness.kernels.program;

/** One float32 array per parameter, in manifest order, wherever they are. */
public interface TensorBank {
    /** The array itself where the bank is in memory, else a copy that is the caller's. */
    float[] get(int index);

    /** Keeps these numbers; in memory the array itself. */
    void put(int index, float[] data);

    /** Whether {@link #get} gives the array itself. */
    boolean inMemory();

    /** Arrays in memory, which are shared. */
    static TensorBank of(float[][] arrays) {
        return new TensorBank() {
            @Override
            public float[] get(int index) {
                return arrays[index];
            }

            @Override
            public void put(int index, float[] data) {
                arrays[index] = data;
            }

            @Override
            public boolean inMemory() {
                return true;
            }
        };
    }
}
