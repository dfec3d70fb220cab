package org.bitwitness.datasets;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Decodes text that is UTF-8, and refuses what is not: a new decoder reports every fault, unlike a String. */
public final class Utf8 {
    private Utf8() {}

    public static String strict(byte[] bytes, String place) throws DatasetException {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(in).toString();
        } catch (CharacterCodingException e) {
            throw new DatasetException(
                    DatasetException.Kind.BYTES,
                    "%s is not UTF-8 (near byte %d): convert it, or leave it out".formatted(place, in.position()),
                    e);
        }
    }
}
