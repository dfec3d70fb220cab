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
        return in(fileSystem(url), url);
    }

    static HadoopSource in(FileSystem files, URI url) {
        return new HadoopSource(files, new Path(url));
    }

    static FileSystem fileSystem(URI url) throws IOException {
        try {
            return FileSystem.newInstance(url, configuration());
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

    /** With what {@code HADOOP_CONF_DIR} has, as all of Hadoop's programs. */
    static Configuration configuration() {
        Configuration configuration = new Configuration();
        // Others fetch ahead and lose what came when a connection breaks; files are read front to back here.
        configuration.set("fs.s3a.input.stream.type", "classic");
        String folder = System.getenv("HADOOP_CONF_DIR");
        if (folder != null && !folder.isBlank()) {
            configuration.addResource(
                    new Path(new Path(java.nio.file.Path.of(folder).toUri()), "core-site.xml"));
        }
        return configuration;
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
