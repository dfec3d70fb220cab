package org.bitwitness.cli.store.objects;

import java.io.IOException;

/** Called around every operation that changes a store, so that a test can stop the world there. */
@FunctionalInterface
interface StoreBoundary {
    /** Lets everything happen. */
    StoreBoundary NOTHING = _ -> {};

    /** @param place such as {@code before move objects/ab/ab12…} */
    void at(String place) throws IOException;
}
