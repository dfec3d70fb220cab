package org.bitwitness.cli.bench;

import java.util.Arrays;

/** Runs ours and the peer in turn and compares medians, so that what else the machine does hurts both alike. */
public final class Alternating {
    public static final int FEWEST_RUNS = 5;

    /** One run of one side; returns what was measured. */
    public interface Side {
        double run() throws Exception;
    }

    private Alternating() {}

    /** Both sides return seconds: less is better. */
    public static BenchRow seconds(String name, int threads, int runs, Side ours, Side peer) throws Exception {
        double[] medians = medians(runs, ours, peer);
        return new BenchRow(name, medians[0], medians[1], "s", medians[1] / medians[0], threads, runs);
    }

    /** Both sides return a rate in GiB a second: more is better. */
    public static BenchRow gibibytesPerSecond(String name, int threads, int runs, Side ours, Side peer)
            throws Exception {
        double[] medians = medians(runs, ours, peer);
        return new BenchRow(name, medians[0], medians[1], "GiB/s", medians[0] / medians[1], threads, runs);
    }

    /** Both sides return a rate in this unit, one thread each: more is better. */
    public static BenchRow rate(String name, String unit, int runs, Side ours, Side peer) throws Exception {
        double[] medians = medians(runs, ours, peer);
        return new BenchRow(name, medians[0], medians[1], unit, medians[0] / medians[1], 1, runs);
    }

    private static double[] medians(int runs, Side ours, Side peer) throws Exception {
        if (runs < FEWEST_RUNS) {
            throw new IllegalArgumentException("need at least " + FEWEST_RUNS + " runs, got " + runs);
        }
        // The first of each warms caches and is not counted.
        ours.run();
        peer.run();
        double[] measuredOurs = new double[runs];
        double[] measuredPeer = new double[runs];
        for (int run = 0; run < runs; run++) {
            measuredOurs[run] = ours.run();
            measuredPeer[run] = peer.run();
        }
        return new double[] {median(measuredOurs), median(measuredPeer)};
    }

    static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
