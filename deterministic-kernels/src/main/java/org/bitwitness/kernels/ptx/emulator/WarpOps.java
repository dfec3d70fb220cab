package org.bitwitness.kernels.ptx.emulator;

import org.bitwitness.kernels.gpu.GpuFailure.KernelFault.Kind;

/** Shuffles and votes. */
final class WarpOps {
    private WarpOps() {}

    /** Ways of choosing the lane to read from. */
    enum ShuffleMode {
        UP,
        DOWN,
        BFLY,
        IDX
    }

    /** Where a shuffle reads and writes: columns, and a predicate or -1. */
    record ShuffleColumns(int d, int predicate, int a, int b, int c, int members) {}

    /** {@code shfl.sync}. */
    static final class Shuffle extends ControlOps.Together {
        private final ShuffleMode mode;
        private final ShuffleColumns at;

        Shuffle(int line, ShuffleMode mode, ShuffleColumns at) {
            super(line, at.members);
            this.mode = mode;
            this.at = at;
        }

        @Override
        void together(Warp w, int members) {
            System.arraycopy(w.r, at.a, w.savedInts, 0, Warp.LANES);
            int inRange = 0;
            for (int rest = members; rest != 0; rest &= rest - 1) {
                int l = Integer.numberOfTrailingZeros(rest);
                int b = w.r[at.b + l] & 31;
                int clamp = w.r[at.c + l] & 31;
                int segment = w.r[at.c + l] >>> 8 & 31;
                int least = l & segment;
                int most = least | (clamp & ~segment);
                int from = switch (mode) {
                    case UP -> l - b;
                    case DOWN -> l + b;
                    case BFLY -> l ^ b;
                    case IDX -> least | (b & ~segment);
                };
                // For "up" the clamp is a lower bound.
                boolean within = mode == ShuffleMode.UP ? from >= most : from <= most;
                if (!within) {
                    from = l;
                } else {
                    inRange |= 1 << l;
                }
                if ((members >>> from & 1) == 0) {
                    throw w.fault(
                            this,
                            Kind.SHUFFLE_DIVERGENCE,
                            "%s reads lane %d, which is not of its mask %08x".formatted(w.thread(l), from, members));
                }
                w.r[at.d + l] = w.savedInts[from];
            }
            if (at.predicate >= 0) {
                w.p[at.predicate] = (w.p[at.predicate] & ~members) | inRange;
            }
        }
    }

    /** What lanes ask each other. */
    enum VoteMode {
        ALL,
        ANY,
        UNI,
        BALLOT
    }

    /** {@code vote.sync}. */
    static final class Vote extends ControlOps.Together {
        private final VoteMode mode;
        private final int d;
        private final int predicate;
        private final boolean negated;

        /** @param d a predicate; for a ballot a column */
        Vote(int line, VoteMode mode, int d, PredicateRef asked, int members) {
            super(line, members);
            this.mode = mode;
            this.d = d;
            this.predicate = asked.index();
            this.negated = asked.negated();
        }

        @Override
        void together(Warp w, int members) {
            int yes = (negated ? ~w.p[predicate] : w.p[predicate]) & members;
            boolean answer = switch (mode) {
                case ALL -> yes == members;
                case ANY -> yes != 0;
                case UNI -> yes == members || yes == 0;
                case BALLOT -> {
                    for (int rest = members; rest != 0; rest &= rest - 1) {
                        w.r[d + Integer.numberOfTrailingZeros(rest)] = yes;
                    }
                    yield false;
                }
            };
            if (mode != VoteMode.BALLOT) {
                w.p[d] = answer ? w.p[d] | members : w.p[d] & ~members;
            }
        }
    }
}
