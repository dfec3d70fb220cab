package org.bitwitness.kernels.ptx.emulator;

/** Operations with operands of their own shape. */
final class SmallOps {
    private SmallOps() {}

    /** Several operations that are one instruction. */
    static final class Sequence extends Op {
        private final Op[] ops;

        Sequence(int line, Op... ops) {
            super(line);
            this.ops = ops;
        }

        @Override
        void run(Warp w, int mask) {
            for (Op op : ops) {
                op.run(w, mask);
            }
        }
    }

    /** Logic of predicates. */
    enum Logic {
        AND,
        OR,
        XOR,
        NOT,
        COPY
    }

    /** {@code and.pred} and its kind. */
    static final class PredicateLogic extends Op {
        private final Logic logic;
        private final int d;
        private final PredicateRef a;
        private final PredicateRef b;

        PredicateLogic(int line, Logic logic, int d, PredicateRef a, PredicateRef b) {
            super(line);
            this.logic = logic;
            this.d = d;
            this.a = a;
            this.b = b;
        }

        @Override
        void run(Warp w, int mask) {
            int result = switch (logic) {
                case AND -> a.of(w) & b.of(w);
                case OR -> a.of(w) | b.of(w);
                case XOR -> a.of(w) ^ b.of(w);
                case NOT -> ~a.of(w);
                case COPY -> a.of(w);
            };
            w.p[d] = (w.p[d] & ~mask) | (result & mask);
        }
    }

    /** Columns of a selection. */
    record Choice(int d, int a, int b, boolean wide) {}

    /** {@code selp}. */
    static final class Select extends Op {
        private final Choice at;
        private final PredicateRef by;

        Select(int line, Choice at, PredicateRef by) {
            super(line);
            this.at = at;
            this.by = by;
        }

        @Override
        void run(Warp w, int mask) {
            int first = by.of(w);
            for (int rest = mask; rest != 0; rest &= rest - 1) {
                int l = Integer.numberOfTrailingZeros(rest);
                int from = ((first >>> l & 1) != 0 ? at.a : at.b) + l;
                if (at.wide) {
                    w.q[at.d + l] = w.q[from];
                } else {
                    w.r[at.d + l] = w.r[from];
                }
            }
        }
    }

    /** {@code lop3.b32}: any function of three bits. */
    static final class Lookup3 extends LaneOp {
        private final int a;
        private final int b;
        private final int c;
        private final int table;

        Lookup3(int line, int d, int[] abc, int table) {
            super(line, d, false);
            this.a = abc[0];
            this.b = abc[1];
            this.c = abc[2];
            this.table = table;
        }

        @Override
        void compute(int[] r, long[] q) {
            for (int l = 0; l < Warp.LANES; l++) {
                r[d + l] = Bits.logic(r[a + l], r[b + l], r[c + l], table);
            }
        }
    }

    /** {@code bfi}. */
    static final class Insert extends LaneOp {
        private final boolean wide;
        private final int source;
        private final int target;
        private final int position;
        private final int length;

        Insert(int line, boolean wide, int d, int[] operands) {
            super(line, d, wide);
            this.wide = wide;
            this.source = operands[0];
            this.target = operands[1];
            this.position = operands[2];
            this.length = operands[3];
        }

        @Override
        void compute(int[] r, long[] q) {
            for (int l = 0; l < Warp.LANES; l++) {
                if (wide) {
                    q[d + l] = Bits.insert(q[source + l], q[target + l], r[position + l], r[length + l], 64);
                } else {
                    r[d + l] = (int) Bits.insert(r[source + l], r[target + l], r[position + l], r[length + l], 32);
                }
            }
        }
    }

    /** {@code activemask}. */
    static final class ActiveMask extends Op {
        private final int d;

        ActiveMask(int line, int d) {
            super(line);
            this.d = d;
        }

        @Override
        void run(Warp w, int mask) {
            for (int rest = mask; rest != 0; rest &= rest - 1) {
                w.r[d + Integer.numberOfTrailingZeros(rest)] = mask;
            }
        }
    }
}
