package org.bitwitness.cli.bench;

/**
 * One comparison.
 *
 * @param ours median of our runs, in {@code unit}
 * @param peer median of the peer's runs, in {@code unit}
 * @param ratio above 1 means that ours is better
 * @param threads how many threads either side used
 * @param runs runs of each side
 */
public record BenchRow(String name, double ours, double peer, String unit, double ratio, int threads, int runs) {}
