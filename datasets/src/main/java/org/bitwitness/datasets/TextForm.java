package org.bitwitness.datasets;

import java.util.Arrays;

/**
 * The one form in which a document is digested and tokenized: UTF-8, no byte order mark at the start, every line end LF
 * (carriage returns right before an LF are dropped). Nothing else changes; a U+FEFF inside the text is a character like
 * any other. So the same text saved by two editors is one document with one digest, while the digests of the two files
 * differ.
 */
public final class TextForm {
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    private TextForm() {}

    /**
     * Normal form of a file's bytes.
     *
     * @param place named in the message
     * @throws DatasetException if the bytes are not UTF-8
     */
    public static byte[] of(byte[] raw, String place) throws DatasetException {
        Utf8.strict(raw, place);
        int from = 0;
        while (isMarkAt(raw, from)) {
            from += BYTE_ORDER_MARK.length;
        }
        byte[] out = new byte[raw.length - from];
        int length = 0;
        for (int i = from; i < raw.length; i++) {
            while (raw[i] == '\n' && length > 0 && out[length - 1] == '\r') {
                length--;
            }
            out[length++] = raw[i];
        }
        return Arrays.copyOf(out, length);
    }

    /** True when {@link #of} would change nothing. */
    public static boolean isNormal(byte[] text) {
        if (isMarkAt(text, 0)) {
            return false;
        }
        for (int i = 1; i < text.length; i++) {
            if (text[i] == '\n' && text[i - 1] == '\r') {
                return false;
            }
        }
        return true;
    }

    private static boolean isMarkAt(byte[] text, int at) {
        return text.length >= at + 3 && Arrays.equals(text, at, at + 3, BYTE_ORDER_MARK, 0, 3);
    }
}
