package org.bitwitness.protocol;

import java.util.regex.Pattern;

/**
 * Path of a file inside a recording, like {@code steps/000000000010.arrow}: relative, forward slashes, parts of ASCII
 * letters, digits, '.', '_' and '-' that begin with a letter or digit. So it can neither leave the folder nor name
 * two files on a file system that folds odd characters.
 */
public record RecordingPath(String text) implements Comparable<RecordingPath> {
    private static final int MAX_CHARS = 255;
    private static final int MAX_PARTS = 8;
    private static final Pattern PART = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");

    public RecordingPath {
        if (!isValid(text)) {
            throw new IllegalArgumentException(
                    "\"" + Excerpt.of(text) + "\" is not a path inside a recording: parts of letters,"
                            + " digits, '.', '_' and '-' that begin with a letter or digit, joined by '/'");
        }
    }

    public static RecordingPath of(String text) {
        return new RecordingPath(text);
    }

    public static boolean isValid(String text) {
        if (text.length() > MAX_CHARS) {
            return false;
        }
        String[] parts = text.split("/", -1);
        if (parts.length > MAX_PARTS) {
            return false;
        }
        for (String part : parts) {
            if (!PART.matcher(part).matches()) {
                return false;
            }
        }
        return true;
    }

    /** The part before the first slash; the whole path when there is none. */
    public String topFolder() {
        int slash = text.indexOf('/');
        return slash < 0 ? text : text.substring(0, slash);
    }

    /** All characters are ASCII, so this is the order of the UTF-8 bytes. */
    @Override
    public int compareTo(RecordingPath other) {
        return text.compareTo(other.text);
    }

    @Override
    public String toString() {
        return text;
    }
}
