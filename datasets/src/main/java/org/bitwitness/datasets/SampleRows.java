package org.bitwitness.datasets;

/**
 * The rows of one micro-batch, in the order of its samples.
 *
 * @param ids shape [samples][contextLength]
 * @param targets of the same shape: the id that follows each
 */
// Arrays, because rows go to the kernels as they are; they are never compared.
@SuppressWarnings("ArrayRecordComponent")
public record SampleRows(int[][] ids, int[][] targets) {}
