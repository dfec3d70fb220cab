package org.bitwitness.cli.run.fetch;

import java.io.IOException;
import java.net.URI;

/** Opens recordings by URL. */
public final class Sources {
    private Sources() {}

    public static RecordingSource of(URI url) throws IOException {
        return HadoopSource.open(url);
    }
}
