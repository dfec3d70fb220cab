package org.bitwitness.datasets;

import java.util.Optional;

/** How many bytes an id takes in a shard file. The vocabulary decides, so an id can never wrap. */
public enum TokenWidth {
    U16("u16", 2),
    U32("u32", 4);

    private final String text;
    private final int bytes;

    TokenWidth(String text, int bytes) {
        this.text = text;
        this.bytes = bytes;
    }

    /** The narrowest width that holds every id below {@code vocab}. */
    public static TokenWidth ofVocab(int vocab) {
        return vocab <= 1 << 16 ? U16 : U32;
    }

    public static Optional<TokenWidth> ofText(String text) {
        for (TokenWidth width : values()) {
            if (width.text.equals(text)) {
                return Optional.of(width);
            }
        }
        return Optional.empty();
    }

    public String text() {
        return text;
    }

    public int bytes() {
        return bytes;
    }
}
