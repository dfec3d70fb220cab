package org.bitwitness.kernels.vector;

import static org.bitwitness.kernels.vector.Lanes.FLOATS;

import jdk.incubator.vector.FloatVector;

/** How many float operations one thread can do at most at this JVM's register width: for benchmarks. */
public final class MultiplyAddPeak {
    private static final int ROUNDS = 100_000;
    private static final int CHAINS = 10;

    private MultiplyAddPeak() {}

    /** Float operations per second, two for each multiply-add, measured for {@code seconds}. */
    public static double operationsPerSecond(double seconds) {
        float[] out = new float[Lanes.WIDTH];
        chains(out);
        long started = System.nanoTime();
        long rounds = 0;
        double elapsed = 0;
        while (elapsed < seconds) {
            chains(out);
            rounds += ROUNDS;
            elapsed = (System.nanoTime() - started) / 1e9;
        }
        return rounds * 2.0 * CHAINS * Lanes.WIDTH / elapsed;
    }

    /** Independent chains, as many as hide the latency and fit 16 registers. */
    private static void chains(float[] out) {
        FloatVector x = FloatVector.fromArray(FLOATS, out, 0);
        FloatVector y = FloatVector.broadcast(FLOATS, 0.5f);
        FloatVector s0 = x;
        FloatVector s1 = x;
        FloatVector s2 = x;
        FloatVector s3 = x;
        FloatVector s4 = x;
        FloatVector s5 = x;
        FloatVector s6 = x;
        FloatVector s7 = x;
        FloatVector s8 = x;
        FloatVector s9 = x;
        for (int i = 0; i < ROUNDS; i++) {
            s0 = s0.fma(y, y);
            s1 = s1.fma(y, y);
            s2 = s2.fma(y, y);
            s3 = s3.fma(y, y);
            s4 = s4.fma(y, y);
            s5 = s5.fma(y, y);
            s6 = s6.fma(y, y);
            s7 = s7.fma(y, y);
            s8 = s8.fma(y, y);
            s9 = s9.fma(y, y);
        }
        s0.add(s1).add(s2).add(s3).add(s4).intoArray(out, 0);
        s5.add(s6)
                .add(s7)
                .add(s8)
                .add(s9)
                .add(FloatVector.fromArray(FLOATS, out, 0))
                .intoArray(out, 0);
    }
}
