package org.bitwitness.kernels.gpu;

import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;

/**
 * The text of one PTX file, known to be the one that its manifest names.
 *
 * @param name of the file without its folder, for messages
 * @param text ASCII
 * @param digest SHA-256 of the text's bytes
 */
public record PtxModule(String name, String text, Sha256 digest) {
    /** A generous limit: the whole step program takes less than a megabyte. */
    public static final int MOST_CHARS = 16 << 20;

    public PtxModule {
        if (text.length() > MOST_CHARS) {
            throw refused(name, "it has %d characters, %d at most".formatted(text.length(), MOST_CHARS));
        }
        Sha256 found = Hashing.sha256(text);
        if (!found.equals(digest)) {
            throw refused(
                    name,
                    "its manifest expects SHA-256 %s, the text has %s: install the release again"
                            .formatted(digest.hex(), found.hex()));
        }
    }

    /** A module that no manifest vouches for, as in tests of parser and emulator. */
    public static PtxModule unlisted(String name, String text) {
        return new PtxModule(name, text, Hashing.sha256(text));
    }

    private static GpuException refused(String name, String detail) {
        return new GpuException(new GpuFailure.PtxRefused(name, detail));
    }
}
