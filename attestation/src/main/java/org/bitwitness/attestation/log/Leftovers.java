package org.bitwitness.attestation.log;

import java.io.IOException;
import java.util.List;

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

    /** Removes the partial versions of every tile that became full last at its level. */
    void dropPartialsOfFullTiles(long size) throws IOException {
        dropPartials(TilePath.ENTRIES, size);
        for (int level = 0; level < LEVELS; level++) {
            dropPartials(level, size >>> (8 * level));
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

    private void dropPartials(int level, long items) throws IOException {
        for (long index = items / TilePath.FULL - 1; index >= 0; index--) {
            String folder = new TilePath(level, index, TilePath.FULL).partialFolder();
            List<String> names = store.names(folder);
            if (names.isEmpty()) {
                return;
            }
            for (String name : names) {
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
