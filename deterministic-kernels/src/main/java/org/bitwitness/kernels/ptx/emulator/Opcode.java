package org.bitwitness.kernels.ptx.emulator;

import java.util.Optional;
import org.bitwitness.kernels.ptx.PtxType;

/**
 * An opcode cut before its last type: {@code mad.lo.s32} has the head {@code mad.lo}.
 *
 * @param base {@code mad}
 */
record Opcode(String text, String base, String head, Optional<PtxType> last) {
    static Opcode of(String text) {
        int dot = text.lastIndexOf('.');
        int first = text.indexOf('.');
        Optional<PtxType> type = dot < 0 ? Optional.empty() : PtxType.parse(text.substring(dot + 1));
        return new Opcode(
                text,
                first < 0 ? text : text.substring(0, first),
                type.isPresent() ? text.substring(0, dot) : text,
                type);
    }

    /** The type, or one that no instruction takes. */
    PtxType type() {
        return last.orElse(PtxType.B8);
    }

    /** The modifiers between base and last type, each with its dot. */
    String middle() {
        return head.substring(base.length());
    }
}
