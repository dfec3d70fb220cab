package org.bitwitness.attestation.log;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Name of a tile's file.
 *
 * <pre>tile/0/x001/x234/067   tile/1/000.p/17   tile/entries/x012/345</pre>
 *
 * @param level 0 to 63 for hashes, {@link #ENTRIES} for a bundle of entries
 * @param index which tile of the level
 * @param width items in it: 1 to 256; fewer than 256 is a partial tile
 */
public record TilePath(int level, long index, int width) {
    /** Items in a full tile. */
    public static final int FULL = 256;

    /** Stands for the level of entry bundles. */
    public static final int ENTRIES = -1;

    private static final int MAX_LEVEL = 63;
    private static final Pattern PATH =
            Pattern.compile("tile/(entries|0|[1-9][0-9]?)/((?:x[0-9]{3}/){0,6}[0-9]{3})(?:\\.p/([1-9][0-9]{0,2}))?");

    public TilePath {
        if (level < ENTRIES || level > MAX_LEVEL || index < 0 || width < 1 || width > FULL) {
            throw new IllegalArgumentException(
                    "no tile has level %d, index %d, width %d".formatted(level, index, width));
        }
    }

    /** Reads a path; empty for anything but the one spelling of a tile. */
    public static Optional<TilePath> parse(String path) {
        Matcher matcher = PATH.matcher(path);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        int level = matcher.group(1).equals("entries") ? ENTRIES : Integer.parseInt(matcher.group(1));
        long index = 0;
        for (String part : matcher.group(2).split("/", -1)) {
            index = index * 1000 + Long.parseLong(part.startsWith("x") ? part.substring(1) : part);
        }
        int width = matcher.group(3) == null ? FULL : Integer.parseInt(matcher.group(3));
        if (level > MAX_LEVEL || width > FULL || (matcher.group(3) != null && width == FULL)) {
            return Optional.empty();
        }
        TilePath tile = new TilePath(level, index, width);
        return tile.path().equals(path) ? Optional.of(tile) : Optional.empty();
    }

    public boolean isFull() {
        return width == FULL;
    }

    /** The full tile that this one becomes. */
    public TilePath full() {
        return new TilePath(level, index, FULL);
    }

    /** The file's path; {@link #parse} reads it back. */
    public String path() {
        String full = base() + String.format(java.util.Locale.ROOT, "%03d", index % 1000);
        return isFull() ? full : full + ".p/" + width;
    }

    /** Folder of all partial versions of this tile. */
    String partialFolder() {
        return full().path() + ".p";
    }

    private String base() {
        StringBuilder groups = new StringBuilder();
        for (long rest = index / 1000; rest > 0; rest /= 1000) {
            groups.insert(0, String.format(java.util.Locale.ROOT, "x%03d/", rest % 1000));
        }
        return "tile/" + (level == ENTRIES ? "entries" : String.valueOf(level)) + "/" + groups;
    }

    @Override
    public String toString() {
        return path();
    }
}
