package org.bitwitness.attestation.note;

import java.util.Arrays;
import java.util.Optional;

/** What a note key signs; the byte is part of its key id. Both kinds here use Ed25519. */
public enum NoteKeyType {
    /** A plain signature over the note's text: what a log uses. */
    ED25519(0x01),
    /** A timestamped signature over a checkpoint: what a witness uses. */
    COSIGNATURE_V1(0x04);

    private final int typeByte;

    NoteKeyType(int typeByte) {
        this.typeByte = typeByte;
    }

    public int typeByte() {
        return typeByte;
    }

    static Optional<NoteKeyType> ofByte(int typeByte) {
        return Arrays.stream(values()).filter(t -> t.typeByte == typeByte).findFirst();
    }
}
