package org.bitwitness.kernels.ptx.emulator;

/** {@code setp} and {@code testp}. */
final class CompareOps {
    private CompareOps() {}

    /** The loops that suffice: the other comparisons swap operands or negate. */
    enum Test {
        EQ_32,
        LT_S32,
        LT_U32,
        EQ_64,
        LT_S64,
        LT_U64,
        EQ_F32,
        LT_F32,
        LE_F32,
        /** Neither less nor greater: equal, or one is NaN. */
        EQU_F32,
        NUM_F32,
        EQ_F64,
        LT_F64,
        LE_F64,
        EQU_F64,
        NUM_F64
    }

    /** How the outcome is combined with a third operand. */
    enum Combine {
        NONE,
        AND,
        OR,
        XOR
    }

    /** Destinations; the second, -1 for none, gets the opposite comparison. */
    record Targets(int first, int second) {}

    /** Which loop, and whether the answer is turned round. */
    record Comparison(Test test, boolean negate, int a, int b) {}

    /** {@code setp}. */
    static final class SetPredicate extends Op {
        private final Comparison comparison;
        private final Targets targets;
        private final Combine combine;
        private final PredicateRef third;

        SetPredicate(int line, Comparison comparison, Targets targets, Combine combine, PredicateRef third) {
            super(line);
            this.comparison = comparison;
            this.targets = targets;
            this.combine = combine;
            this.third = third;
        }

        @Override
        void run(Warp w, int mask) {
            int yes = lanes(comparison.test, w, comparison.a, comparison.b);
            if (comparison.negate) {
                yes = ~yes;
            }
            int no = ~yes;
            if (combine != Combine.NONE) {
                int c = third.of(w);
                yes = combined(yes, c);
                no = combined(no, c);
            }
            w.p[targets.first] = (w.p[targets.first] & ~mask) | (yes & mask);
            if (targets.second >= 0) {
                w.p[targets.second] = (w.p[targets.second] & ~mask) | (no & mask);
            }
        }

        private int combined(int x, int c) {
            return switch (combine) {
                case NONE -> x;
                case AND -> x & c;
                case OR -> x | c;
                case XOR -> x ^ c;
            };
        }
    }

    private static int lanes(Test test, Warp w, int a, int b) {
        return switch (test) {
            case EQ_32 -> equal32(w.r, a, b);
            case LT_S32 -> less32(w.r, a, b, 0);
            case LT_U32 -> less32(w.r, a, b, Integer.MIN_VALUE);
            case EQ_64 -> equal64(w.q, a, b);
            case LT_S64 -> less64(w.q, a, b, 0);
            case LT_U64 -> less64(w.q, a, b, Long.MIN_VALUE);
            case EQ_F32, LT_F32, LE_F32, EQU_F32, NUM_F32 -> floats(test, w.r, a, b);
            case EQ_F64, LT_F64, LE_F64, EQU_F64, NUM_F64 -> doubles(test, w.q, a, b);
        };
    }

    private static int equal32(int[] r, int a, int b) {
        int yes = 0;
        for (int l = 0; l < Warp.LANES; l++) {
            yes |= (r[a + l] == r[b + l] ? 1 : 0) << l;
        }
        return yes;
    }

    private static int less32(int[] r, int a, int b, int flip) {
        int yes = 0;
        for (int l = 0; l < Warp.LANES; l++) {
            yes |= ((r[a + l] ^ flip) < (r[b + l] ^ flip) ? 1 : 0) << l;
        }
        return yes;
    }

    private static int equal64(long[] q, int a, int b) {
        int yes = 0;
        for (int l = 0; l < Warp.LANES; l++) {
            yes |= (q[a + l] == q[b + l] ? 1 : 0) << l;
        }
        return yes;
    }

    private static int less64(long[] q, int a, int b, long flip) {
        int yes = 0;
        for (int l = 0; l < Warp.LANES; l++) {
            yes |= ((q[a + l] ^ flip) < (q[b + l] ^ flip) ? 1 : 0) << l;
        }
        return yes;
    }

    private static int floats(Test test, int[] r, int a, int b) {
        int yes = 0;
        for (int l = 0; l < Warp.LANES; l++) {
            float x = Float.intBitsToFloat(r[a + l]);
            float y = Float.intBitsToFloat(r[b + l]);
            boolean is = switch (test) {
                case EQ_F32 -> x == y;
                case LT_F32 -> x < y;
                case LE_F32 -> x <= y;
                case EQU_F32 -> !(x < y || x > y);
                default -> !Float.isNaN(x) && !Float.isNaN(y);
            };
            yes |= (is ? 1 : 0) << l;
        }
        return yes;
    }

    private static int doubles(Test test, long[] q, int a, int b) {
        int yes = 0;
        for (int l = 0; l < Warp.LANES; l++) {
            double x = Double.longBitsToDouble(q[a + l]);
            double y = Double.longBitsToDouble(q[b + l]);
            boolean is = switch (test) {
                case EQ_F64 -> x == y;
                case LT_F64 -> x < y;
                case LE_F64 -> x <= y;
                case EQU_F64 -> !(x < y || x > y);
                default -> !Double.isNaN(x) && !Double.isNaN(y);
            };
            yes |= (is ? 1 : 0) << l;
        }
        return yes;
    }

    /** Classes of floating-point numbers. */
    enum FloatClass {
        FINITE,
        INFINITE,
        NUMBER,
        NOTANUMBER,
        NORMAL,
        SUBNORMAL
    }

    /** {@code testp}. */
    static final class TestClass extends Op {
        private final FloatClass asked;
        private final boolean wide;
        private final int d;
        private final int a;

        TestClass(int line, FloatClass asked, boolean wide, int d, int a) {
            super(line);
            this.asked = asked;
            this.wide = wide;
            this.d = d;
            this.a = a;
        }

        @Override
        void run(Warp w, int mask) {
            int yes = 0;
            for (int l = 0; l < Warp.LANES; l++) {
                // A float as a double keeps its class except for subnormals, which are told apart by size.
                double x = Math.abs(
                        wide ? Double.longBitsToDouble(w.q[a + l]) : (double) Float.intBitsToFloat(w.r[a + l]));
                double normal = wide ? Double.MIN_NORMAL : Float.MIN_NORMAL;
                boolean is = switch (asked) {
                    case FINITE -> x < Double.POSITIVE_INFINITY;
                    case INFINITE -> x == Double.POSITIVE_INFINITY;
                    case NUMBER -> !Double.isNaN(x);
                    case NOTANUMBER -> Double.isNaN(x);
                    case NORMAL -> x >= normal && x < Double.POSITIVE_INFINITY;
                    case SUBNORMAL -> x > 0 && x < normal;
                };
                yes |= (is ? 1 : 0) << l;
            }
            w.p[d] = (w.p[d] & ~mask) | (yes & mask);
        }
    }
}
