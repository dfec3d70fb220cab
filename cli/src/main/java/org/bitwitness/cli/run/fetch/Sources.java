package org.bitwitness.cli.run.fetch;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.bitwitness.cli.support.CommandFailure;

/** Opens recordings by URL. */
public final class Sources {
    private Sources() {}

    /** A folder, or else a URL. */
    public static RecordingSource named(String from) throws CommandFailure, IOException {
        boolean url = isUrl(from);
        if (!url && Files.isDirectory(Path.of(from))) {
            return RecordingSource.folder(Path.of(from));
        }
        if (!url) {
            throw CommandFailure.usage("no such folder: " + from);
        }
        return of(CommandFailure.typed(() -> URI.create(from)));
    }

    /** A drive letter is none. */
    public static boolean isUrl(String place) {
        return place.matches("[a-z][a-z0-9+.-]+:.*");
    }

    /** @throws IOException if Hadoop has no file system for the scheme, or it does not answer */
    public static FileSystem fileSystem(URI url) throws IOException {
        return HadoopSource.fileSystem(url);
    }

    /** How Hadoop is to read and write. */
    public static Configuration configuration() {
        return HadoopSource.configuration();
    }

    /** A recording in a file system that is open already; closing the one closes the other. */
    public static RecordingSource in(FileSystem files, URI url) {
        return HadoopSource.in(files, url);
    }

    public static RecordingSource of(URI url) throws IOException {
        return HadoopSource.open(url);
    }
}
