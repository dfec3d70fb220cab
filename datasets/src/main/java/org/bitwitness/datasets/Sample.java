package org.bitwitness.datasets;

/**
 * One training sequence.
 *
 * @param ids contextLength token ids
 * @param targets the id that follows each of them; {@link #NO_TARGET} where it is not learnt
 */
// Arrays, because samples go to the kernels as they are; they are never compared.
@SuppressWarnings("ArrayRecordComponent")
public record Sample(int[] ids, int[] targets) {
    /** Of an id without a target, as the kernels and row roots have it. */
    public static final int NO_TARGET = -1;

    public Sample {
        if (ids.length == 0 || ids.length != targets.length) {
            throw new IllegalArgumentException(
                    "ids and targets have one length above 0, got %d and %d".formatted(ids.length, targets.length));
        }
    }
}
