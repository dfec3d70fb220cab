package org.bitwitness.kernels.ptx.emulator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Hands out columns and predicates of a kernel; equal constants share one. */
final class Columns {
    private static final int MOST = 200_000;

    private int ints;
    private int longs;
    private int predicates;
    private final Map<Integer, Integer> intConstants = new HashMap<>();
    private final Map<Long, Integer> longConstants = new HashMap<>();
    private final Map<Boolean, Integer> truths = new HashMap<>();
    private final Map<SpecialRegister, Integer> specials = new HashMap<>();

    int newInt() {
        limit(ints);
        return Warp.LANES * ints++;
    }

    int newLong() {
        limit(longs);
        return Warp.LANES * longs++;
    }

    int newPredicate() {
        limit(predicates);
        return predicates++;
    }

    int constant(int value) {
        return intConstants.computeIfAbsent(value, v -> newInt());
    }

    int constant(long value) {
        return longConstants.computeIfAbsent(value, v -> newLong());
    }

    PredicateRef truth(boolean value) {
        return new PredicateRef(truths.computeIfAbsent(value, v -> newPredicate()), false);
    }

    int special(SpecialRegister register) {
        return specials.computeIfAbsent(register, v -> newInt());
    }

    Kernel.Templates templates() {
        int[] r = new int[Warp.LANES * ints];
        long[] q = new long[Warp.LANES * longs];
        int[] p = new int[predicates];
        intConstants.forEach((value, at) -> Arrays.fill(r, at, at + Warp.LANES, value));
        longConstants.forEach((value, at) -> Arrays.fill(q, at, at + Warp.LANES, value));
        truths.forEach((value, at) -> p[at] = value ? -1 : 0);
        return new Kernel.Templates(r, q, p);
    }

    List<Kernel.Special> specials() {
        List<Kernel.Special> list = new ArrayList<>();
        specials.forEach((register, column) -> list.add(new Kernel.Special(register, column)));
        return list;
    }

    private static void limit(int used) {
        if (used >= MOST) {
            throw new IllegalStateException("a kernel needs more than " + MOST + " registers");
        }
    }
}
