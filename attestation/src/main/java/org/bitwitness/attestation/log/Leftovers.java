package org.bitwitness.attestation.log;

import java.io.IOException;

/** Removes tile files that no checkpoint needs. */
final class Leftovers {
    private static final int LEVELS = 8;

    private final LogStore store;

    Leftovers(LogStore store) {
        this.store = store;
    }

    /**
     * Removes what a batch wrote that never became part of the tree of {@code size} entries. Files of a batch are
     * written in order, so at each level the search ends at the first tile that has neither a full nor a partial file.
     */
    void discardBeyond(long size) throws IOException {
        discardBeyond(TilePath.ENTRIES, size);
        for (int level = 0; level < LEVELS; level++) {
            discardBeyond(level, size >>> (8 * level));
        }
    }

    /** Removes the partial versions of every tile that became full while the tree grew. */
    void dropPartialsOfFullTiles(long oldSize, long newSize) throws IOException {
        dropPartials(TilePath.ENTRIES, oldSize, newSize);
        for (int level = 0; level < LEVELS; level++) {
            dropPartials(level, oldSize >>> (8 * level), newSize >>> (8 * level));
        }
    }

    private void discardBeyond(int level, long items) throws IOException {
        long index = items / TilePath.FULL;
        int width = (int) (items % TilePath.FULL);
        boolean found = true;
        while (found) {
            TilePath full = new TilePath(level, index, TilePath.FULL);
            found = store.exists(full.path());
            store.delete(full.path());
            for (String name : store.names(full.partialFolder())) {
                if (!isWidthUpTo(name, width)) {
                    store.delete(full.partialFolder() + "/" + name);
                    found = true;
                }
            }
            index++;
            width = 0;
        }
    }

    private void dropPartials(int level, long oldItems, long newItems) throws IOException {
        for (long index = oldItems / TilePath.FULL; index < newItems / TilePath.FULL; index++) {
            String folder = new TilePath(level, index, TilePath.FULL).partialFolder();
            for (String name : store.names(folder)) {
                store.delete(folder + "/" + name);
            }
        }
    }

    private static boolean isWidthUpTo(String name, int width) {
        try {
            return Integer.parseInt(name) <= width;
        } catch (NumberFormatException notOurs) {
            return true;
        }
    }
}
