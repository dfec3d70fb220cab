package org.bitwitness.cli.store.objects;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import org.bitwitness.cli.run.fetch.Sources;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.protocol.ProtocolException;

/** Opens stores by the name that a person gives: a folder, or a URL that Hadoop knows. */
public final class Stores {
    private Stores() {}

    public static ObjectStore open(String place) throws CommandFailure, IOException, ProtocolException {
        return with(place, ObjectStore::open);
    }

    /** Makes the store where nothing is yet. */
    public static ObjectStore openOrMake(String place) throws CommandFailure, IOException, ProtocolException {
        return with(place, ObjectStore::openOrMake);
    }

    private interface Opening {
        ObjectStore open(StoreFiles files) throws CommandFailure, IOException, ProtocolException;
    }

    private static ObjectStore with(String place, Opening opening)
            throws CommandFailure, IOException, ProtocolException {
        StoreFiles files = files(place);
        boolean opened = false;
        try {
            ObjectStore store = opening.open(files);
            opened = true;
            return store;
        } finally {
            if (!opened) {
                files.close();
            }
        }
    }

    private static StoreFiles files(String place) throws CommandFailure, IOException {
        if (!Sources.isUrl(place)) {
            return new LocalStoreFiles(Path.of(place).toAbsolutePath());
        }
        URI url = CommandFailure.typed(() -> URI.create(place));
        if ("file".equals(url.getScheme())) {
            return new LocalStoreFiles(
                    CommandFailure.typed(() -> Path.of(url.getPath())).toAbsolutePath());
        }
        return new HadoopStoreFiles(Sources.fileSystem(url), new org.apache.hadoop.fs.Path(url));
    }
}
