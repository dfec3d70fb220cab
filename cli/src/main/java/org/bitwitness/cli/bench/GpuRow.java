package org.bitwitness.cli.bench;

/**
 * One figure of one side. More is better.
 *
 * @param name known to {@code benchmarks/gpu/peer.py} where PyTorch has the same
 */
public record GpuRow(String name, double value, String unit) {}
