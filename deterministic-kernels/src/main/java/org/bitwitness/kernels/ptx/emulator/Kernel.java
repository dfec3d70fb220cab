package org.bitwitness.kernels.ptx.emulator;

import java.util.List;
import org.bitwitness.kernels.ptx.PtxVariable;

/**
 * A kernel ready to run.
 *
 * @param templates registers before the first instruction: constants, else 0
 * @param params with their offsets in the parameter block
 * @param staticSharedBytes what it declares of shared memory
 * @param unitBytes how finely the race checker must look: 1 when there are accesses below 4 bytes
 * @param mostThreads per block, from {@code .maxntid} or {@code .reqntid}
 */
@SuppressWarnings("ArrayRecordComponent") // read in inner loops, seen by nobody outside
record Kernel(
        String name,
        Op[] code,
        Templates templates,
        List<Special> specials,
        List<Param> params,
        int staticSharedBytes,
        int unitBytes,
        int mostThreads) {
    /** Columns of all registers. */
    @SuppressWarnings("ArrayRecordComponent")
    record Templates(int[] ints, long[] longs, int[] predicates) {}

    /** A column of a special register. */
    record Special(SpecialRegister register, int column) {}

    /** A parameter and where it is. */
    record Param(PtxVariable variable, int offset) {}

    int ints() {
        return templates.ints.length / Warp.LANES;
    }

    int longs() {
        return templates.longs.length / Warp.LANES;
    }

    int predicates() {
        return templates.predicates.length;
    }

    /** Gives a warp its first values. */
    void fill(Warp w) {
        System.arraycopy(templates.ints, 0, w.r, 0, templates.ints.length);
        System.arraycopy(templates.longs, 0, w.q, 0, templates.longs.length);
        System.arraycopy(templates.predicates, 0, w.p, 0, templates.predicates.length);
        for (Special special : specials) {
            for (int l = 0; l < Warp.LANES; l++) {
                w.r[special.column + l] = special.register.value(w.block, w.firstThread + l);
            }
        }
    }
}
