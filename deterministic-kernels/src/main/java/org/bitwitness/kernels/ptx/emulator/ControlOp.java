package org.bitwitness.kernels.ptx.emulator;

/** An operation that decides where lanes go next. */
abstract class ControlOp extends Op {
    /** The lanes went different ways, wait or have ended; their counters are set. */
    static final int PARTED = -1;

    ControlOp(int line) {
        super(line);
    }

    /**
     * Moves the lanes on.
     *
     * @param mask lanes that came here
     * @param through those that the guard lets do it; the others go on behind
     * @return where all of them are now, or {@link #PARTED}
     */
    abstract int step(Warp warp, int pc, int mask, int through);

    @Override
    final void run(Warp warp, int mask) {
        throw new IllegalStateException("control operations step");
    }
}
