package org.bitwitness.protocol;

/** How error messages quote text from outside. */
public final class Excerpt {
    private static final int MAX_CODE_POINTS = 80;

    private Excerpt() {}

    /** At most 80 characters of it, control characters replaced by question marks. */
    public static String of(String text) {
        String printable = text.codePoints()
                .limit(MAX_CODE_POINTS)
                .map(c -> Character.isISOControl(c) ? '?' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        return printable.length() < text.length() ? printable + "…" : printable;
    }
}
