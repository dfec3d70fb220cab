package org.bitwitness.cli.support;

/**
 * Text made harmless for a terminal. Names in statements, logs and documents come from outside: none may move the cursor,
 * reorder a line, or pass for a line of ours.
 */
public final class Printable {
    private Printable() {}

    /** Control and format characters become question marks, line ends too; tabs stay. */
    public static String line(String text) {
        return text(text).replace('\n', '?');
    }

    /** The same, but line ends stay. */
    static String text(String text) {
        StringBuilder out = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            boolean odd = Character.isISOControl(c) && c != '\n' && c != '\t';
            out.appendCodePoint(odd || Character.getType(c) == Character.FORMAT ? '?' : c);
        });
        return out.toString();
    }

    /** Takes away what picocli reads as the beginning of markup. */
    public static String unmarked(String text) {
        return text.replace("@|", "@ |");
    }
}
