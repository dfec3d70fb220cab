package org.bitwitness.attestation.log;

import java.net.URI;
import java.nio.file.Path;
import java.util.Locale;
import org.bitwitness.attestation.AttestationException;

/** Finds a log by what a person typed. */
public final class LogSources {
    private LogSources() {}

    /** True for an {@code http://} or {@code https://} URL; anything else names a folder. */
    public static boolean isUrl(String folderOrUrl) {
        String lower = folderOrUrl.toLowerCase(Locale.ROOT);
        return lower.startsWith("http://") || lower.startsWith("https://");
    }

    /** A folder, or an {@code http://} or {@code https://} URL. */
    public static LogSource at(String folderOrUrl) throws AttestationException {
        if (isUrl(folderOrUrl)) {
            try {
                return new HttpSource(URI.create(folderOrUrl));
            } catch (IllegalArgumentException e) {
                throw new AttestationException(
                        AttestationException.Kind.ENVIRONMENT, "\"" + folderOrUrl + "\" is no URL", e);
            }
        }
        return FolderStore.existing(Path.of(folderOrUrl));
    }
}
