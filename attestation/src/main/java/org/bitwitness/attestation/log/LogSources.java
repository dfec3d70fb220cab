package org.bitwitness.attestation.log;

import java.net.URI;
import java.nio.file.Path;
import java.util.Locale;
import org.bitwitness.attestation.AttestationException;

/** Finds a log by what a person typed. */
public final class LogSources {
    private LogSources() {}

    /** A folder, or an {@code http://} or {@code https://} URL. */
    public static LogSource at(String folderOrUrl) throws AttestationException {
        String lower = folderOrUrl.toLowerCase(Locale.ROOT);
        if (lower.startsWith("http://") || lower.startsWith("https://")) {
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
