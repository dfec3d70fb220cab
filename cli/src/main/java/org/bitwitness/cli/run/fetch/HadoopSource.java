package org.bitwitness.cli.run.fetch;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.bitwitness.protocol.RecordingPath;

/** A recording under a URL that Hadoop knows: {@code file:}, {@code hdfs:}, {@code s3a:} with its connector. */
final class HadoopSource implements RecordingSource {
    private final FileSystem files;
    private final Path root;

    private HadoopSource(FileSystem files, Path root) {
        this.files = files;
        this.root = root;
    }

    static HadoopSource open(URI url) throws IOException {
        return new HadoopSource(fileSystem(url), new Path(url));
    }

    static FileSystem fileSystem(URI url) throws IOException {
        try {
            return FileSystem.newInstance(url, new Configuration());
        } catch (RuntimeException e) {
            if (e.getCause() instanceof ClassNotFoundException) {
                throw new IOException(
                        "Hadoop's connector for " + url.getScheme() + ": is not part of this build. Copy the recording"
                                + " with that store's own tools and give the folder; run verify checks every byte",
                        e);
            }
            throw e;
        }
    }

    @Override
    public boolean exists(RecordingPath path) throws IOException {
        return files.exists(new Path(root, path.text()));
    }

    @Override
    public InputStream open(RecordingPath path, long offset) throws IOException {
        FSDataInputStream in = files.open(new Path(root, path.text()));
        try {
            in.seek(offset);
            return in;
        } catch (IOException e) {
            in.close();
            throw e;
        }
    }

    @Override
    public String describe() {
        return root.toString();
    }

    @Override
    public void close() throws IOException {
        files.close();
    }
}
