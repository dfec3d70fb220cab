package org.bitwitness.cli.store.objects;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** S3Proxy, an S3-compatible server, as a process of its own over a folder. */
final class S3Server implements AutoCloseable {
    static final String KEY = "local-identity";
    static final String SECRET = "local-credential";
    private static final Pattern LISTENS = Pattern.compile("Started ServerConnector.*\\{127\\.0\\.0\\.1:([0-9]+)\\}");

    private final Process process;
    private final int port;

    private S3Server(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    static S3Server start(Path jar, Path folder, String bucket) throws IOException {
        Files.createDirectories(folder.resolve("data").resolve(bucket));
        Path configuration = folder.resolve("s3proxy.conf");
        Files.write(
                configuration,
                List.of(
                        "s3proxy.endpoint=http://127.0.0.1:0",
                        "s3proxy.authorization=aws-v2-or-v4",
                        "s3proxy.identity=" + KEY,
                        "s3proxy.credential=" + SECRET,
                        "jclouds.provider=filesystem",
                        "jclouds.filesystem.basedir=" + folder.resolve("data")));
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-jar",
                        jar.toString(),
                        "--properties",
                        configuration.toString())
                .redirectErrorStream(true)
                .start();
        boolean listens = false;
        try {
            BufferedReader said =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            StringBuilder all = new StringBuilder();
            for (String line = said.readLine(); line != null; line = said.readLine()) {
                all.append(line).append('\n');
                Matcher port = LISTENS.matcher(line);
                if (port.find()) {
                    listens = true;
                    Thread.ofVirtual().start(() -> said.lines().forEach(_ -> {}));
                    return new S3Server(process, Integer.parseInt(port.group(1)));
                }
            }
            throw new IOException("the S3 server did not start: " + all);
        } finally {
            if (!listens) {
                process.destroyForcibly();
            }
        }
    }

    int port() {
        return port;
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
