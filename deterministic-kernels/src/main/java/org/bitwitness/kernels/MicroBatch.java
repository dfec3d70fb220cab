package org.bitwitness.kernels;

import java.util.Arrays;

/**
 * The token ids and targets one worker reads in one micro-batch: shape [sequences, length], flat and row-major.
 * A target of −1 means "no target": loss 0, not counted. Immutable by convention: the arrays are not copied.
 */
public final class MicroBatch {
    /** The target that is not counted (Hugging Face writes −100). */
    public static final int NO_TARGET = -1;

    private final int sequences;
    private final int length;
    private final int[] ids;
    private final int[] targets;

    /**
     * Shares the arrays.
     *
     * @throws IllegalArgumentException if an array does not have {@code sequences · length} entries
     */
    public MicroBatch(int sequences, int length, int[] ids, int[] targets) {
        if (sequences < 1 || length < 1) {
            throw new IllegalArgumentException(
                    "need at least one sequence of one token, got [%d, %d]".formatted(sequences, length));
        }
        int tokens = Math.multiplyExact(sequences, length);
        if (ids.length != tokens || targets.length != tokens) {
            throw new IllegalArgumentException("a [%d, %d] micro-batch needs %d ids and targets, got %d and %d"
                    .formatted(sequences, length, tokens, ids.length, targets.length));
        }
        this.sequences = sequences;
        this.length = length;
        this.ids = ids;
        this.targets = targets;
    }

    /** From one row per sequence; all rows equally long. */
    public static MicroBatch of(int[][] ids, int[][] targets) {
        if (ids.length == 0 || ids.length != targets.length) {
            throw new IllegalArgumentException("need as many target rows as id rows, at least one; got %d and %d"
                    .formatted(targets.length, ids.length));
        }
        int length = ids[0].length;
        int[] flatIds = new int[Math.multiplyExact(ids.length, length)];
        int[] flatTargets = new int[flatIds.length];
        for (int s = 0; s < ids.length; s++) {
            if (ids[s].length != length || targets[s].length != length) {
                throw new IllegalArgumentException("sequence %d has %d ids and %d targets, sequence 0 has %d"
                        .formatted(s, ids[s].length, targets[s].length, length));
            }
            System.arraycopy(ids[s], 0, flatIds, s * length, length);
            System.arraycopy(targets[s], 0, flatTargets, s * length, length);
        }
        return new MicroBatch(ids.length, length, flatIds, flatTargets);
    }

    public int sequences() {
        return sequences;
    }

    /** Tokens per sequence. */
    public int length() {
        return length;
    }

    /** {@code sequences · length}. */
    public int tokens() {
        return ids.length;
    }

    /** Flat index is {@code sequence · length + position}. The array itself: do not change it. */
    public int[] ids() {
        return ids;
    }

    /** As {@link #ids}. */
    public int[] targets() {
        return targets;
    }

    /** The target of the last token of each sequence. */
    public int[] lastTargets() {
        int[] last = new int[sequences];
        Arrays.setAll(last, s -> targets[(s + 1) * length - 1]);
        return last;
    }

    /** Targets that are not {@link #NO_TARGET}. */
    public long targetCount() {
        return Arrays.stream(targets).filter(t -> t != NO_TARGET).count();
    }

    /**
     * Refuses token ids that a model cannot have.
     *
     * @throws IllegalArgumentException naming the first id or target outside the vocabulary
     */
    public void requireVocabulary(int vocab) {
        for (int i = 0; i < ids.length; i++) {
            if (ids[i] < 0 || ids[i] >= vocab) {
                throw new IllegalArgumentException("token %d of sequence %d has id %d; the vocabulary has ids 0 to %d"
                        .formatted(i % length, i / length, ids[i], vocab - 1));
            }
            if (targets[i] < NO_TARGET || targets[i] >= vocab) {
                throw new IllegalArgumentException(
                        "target %d of sequence %d is %d; allowed: -1 (no target) and ids 0 to %d"
                                .formatted(i % length, i / length, targets[i], vocab - 1));
            }
        }
    }
}
