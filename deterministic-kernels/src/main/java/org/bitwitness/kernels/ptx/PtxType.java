package org.bitwitness.kernels.ptx;

import java.util.Optional;

/** Fundamental types of PTX that we know. */
public enum PtxType {
    PRED(0, Kind.PRED),
    B8(1, Kind.BITS),
    B16(2, Kind.BITS),
    B32(4, Kind.BITS),
    B64(8, Kind.BITS),
    U8(1, Kind.UNSIGNED),
    U16(2, Kind.UNSIGNED),
    U32(4, Kind.UNSIGNED),
    U64(8, Kind.UNSIGNED),
    S8(1, Kind.SIGNED),
    S16(2, Kind.SIGNED),
    S32(4, Kind.SIGNED),
    S64(8, Kind.SIGNED),
    F32(4, Kind.FLOAT),
    F64(8, Kind.FLOAT);

    /** What the bits mean. */
    public enum Kind {
        PRED,
        BITS,
        UNSIGNED,
        SIGNED,
        FLOAT
    }

    private final int bytes;
    private final Kind kind;

    PtxType(int bytes, Kind kind) {
        this.bytes = bytes;
        this.kind = kind;
    }

    /** Bytes in memory; 0 for a predicate, which has none. */
    public int bytes() {
        return bytes;
    }

    public Kind kind() {
        return kind;
    }

    public boolean isFloat() {
        return kind == Kind.FLOAT;
    }

    public boolean isSigned() {
        return kind == Kind.SIGNED;
    }

    /** Reads {@code f32}, without the dot. */
    public static Optional<PtxType> parse(String text) {
        for (PtxType type : values()) {
            if (type.name().length() == text.length() && type.name().equalsIgnoreCase(text)) {
                return Optional.of(type);
            }
        }
        return Optional.empty();
    }
}
