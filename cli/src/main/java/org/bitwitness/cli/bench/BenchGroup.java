package org.bitwitness.cli.bench;

import java.util.List;

/** Comparisons that belong together and are run by one command. */
public interface BenchGroup {
    /** The word that {@code benchmarks/run} takes. */
    String name();

    /** One line that says what is compared with what. */
    String describes();

    /**
     * Measures; a peer that is missing fails.
     *
     * @param runs runs of each side, at least {@link Alternating#FEWEST_RUNS}
     */
    List<BenchRow> measure(int runs) throws Exception;

    /** Measures some rows; a group that takes long leaves out the others before it starts. */
    default List<BenchRow> measure(int runs, Selection only) throws Exception {
        return measure(runs).stream().filter(row -> only.has(row.name())).toList();
    }
}
