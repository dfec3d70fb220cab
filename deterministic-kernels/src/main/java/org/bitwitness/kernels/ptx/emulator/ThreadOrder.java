package org.bitwitness.kernels.ptx.emulator;

import java.util.SplittableRandom;

/**
 * The order in which blocks, and between barriers threads, run. A correct kernel gives the same bits in every order; the
 * orders other than lockstep run one thread as far as it gets, then another, so nothing is ordered by accident.
 */
public final class ThreadOrder {
    private enum Kind {
        LOCKSTEP,
        FORWARD,
        REVERSE,
        RANDOM
    }

    private final Kind kind;
    private final SplittableRandom random;
    private final String text;

    private ThreadOrder(Kind kind, long seed, String text) {
        this.kind = kind;
        this.random = new SplittableRandom(seed);
        this.text = text;
    }

    /** Warps in step, as on a card; the fastest. */
    public static ThreadOrder lockstep() {
        return new ThreadOrder(Kind.LOCKSTEP, 0, "lockstep");
    }

    /** The thread with the smallest number first. */
    public static ThreadOrder forward() {
        return new ThreadOrder(Kind.FORWARD, 0, "forward");
    }

    /** The thread with the greatest number first. */
    public static ThreadOrder reverse() {
        return new ThreadOrder(Kind.REVERSE, 0, "reverse");
    }

    /** Any thread next, as the seed says. */
    public static ThreadOrder random(long seed) {
        return new ThreadOrder(Kind.RANDOM, seed, "random, seed " + seed);
    }

    boolean isLockstep() {
        return kind == Kind.LOCKSTEP;
    }

    boolean splitsWarps() {
        return kind != Kind.LOCKSTEP;
    }

    boolean isBackward() {
        return kind == Kind.REVERSE;
    }

    /** One of the lanes, as a mask. */
    int first(int lanes) {
        return switch (kind) {
            case LOCKSTEP, FORWARD -> Integer.lowestOneBit(lanes);
            case REVERSE -> Integer.highestOneBit(lanes);
            case RANDOM -> {
                int rest = lanes;
                for (int skip = random.nextInt(Integer.bitCount(lanes)); skip > 0; skip--) {
                    rest &= rest - 1;
                }
                yield Integer.lowestOneBit(rest);
            }
        };
    }

    /** The numbers 0 to {@code count - 1} in this order. */
    int[] sequence(int count) {
        int[] order = new int[count];
        for (int i = 0; i < count; i++) {
            order[i] = kind == Kind.REVERSE ? count - 1 - i : i;
        }
        if (kind == Kind.RANDOM) {
            for (int i = count - 1; i > 0; i--) {
                int j = random.nextInt(i + 1);
                int kept = order[i];
                order[i] = order[j];
                order[j] = kept;
            }
        }
        return order;
    }

    @Override
    public String toString() {
        return text;
    }
}
