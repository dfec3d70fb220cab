package org.bitwitness.protocol.tensor;

import java.util.Optional;

/** Element types, spelled as safetensors spells them. */
public enum DType {
    F64(64),
    F32(32),
    F16(16),
    BF16(16),
    I64(64),
    I32(32),
    I16(16),
    I8(8),
    U64(64),
    U32(32),
    U16(16),
    U8(8),
    BOOL(8);

    private final int bits;

    DType(int bits) {
        this.bits = bits;
    }

    public int bytes() {
        return bits / 8;
    }

    public static Optional<DType> ofText(String text) {
        for (DType type : values()) {
            if (type.name().equals(text)) {
                return Optional.of(type);
            }
        }
        return Optional.empty();
    }
}
