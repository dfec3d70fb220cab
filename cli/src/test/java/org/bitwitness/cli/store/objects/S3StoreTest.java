package org.bitwitness.cli.store.objects;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.bitwitness.cli.run.fetch.Fetch;
import org.bitwitness.cli.run.fetch.RecordingSource;
import org.bitwitness.cli.run.fetch.Sources;
import org.bitwitness.protocol.ProtocolException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A store and a recording in a bucket of a real S3-compatible server, also over a connection that breaks. */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class S3StoreTest {
    private static final Path JAR = Path.of(System.getProperty("test.s3proxy", "target/s3proxy/s3proxy.jar"));

    @TempDir
    static Path home;

    @TempDir
    Path temp;

    private StoreStage stage;

    @BeforeAll
    void train() throws Exception {
        assumeTrue(Files.exists(JAR), "the S3 server is fetched by ./bitwitness test --all only");
        stage = StoreStage.train(home);
    }

    @Test
    void aStoreInABucketGivesBackTheSameBytesAndIsCollected() throws Exception {
        try (S3Server server = S3Server.start(JAR, temp, "runs");
                StoreFiles files = files(server.port(), "s3a://runs/store")) {
            StoreStage.add(stage.first(), files);
            StoreStage.add(stage.second(), files);
            ObjectStore objects = ObjectStore.open(files);
            Upkeep upkeep = new Upkeep(objects);
            assertEquals(List.of(), upkeep.check().wrong());
            try (StoreFiles.Lock shared = files.lock(false)) {
                shared.keep();
                assertThrows(ProtocolException.class, () -> upkeep.collect(false));
            }
            List<StoredRun> runs = List.copyOf(objects.runs().values());
            assertEquals(2, runs.size());
            upkeep.remove(runs.getFirst());
            assertTrue(upkeep.collect(false).objects() > 3);
            Path out = temp.resolve("out");
            new Fetch(runs.getLast(), out, _ -> {}, _ -> {}).run(Optional.empty());
            assertTrue(StoreStage.digests(out).equals(StoreStage.digests(stage.first()))
                    || StoreStage.digests(out).equals(StoreStage.digests(stage.second())));
            assertThrows(
                    IOException.class,
                    () -> files.put("objects/aa/half", to -> {
                        to.write(new byte[100_000]);
                        throw new IOException("the source broke");
                    }));
            assertTrue(files.size("objects/aa/half").isEmpty(), "half a file never appears");
        }
    }

    @Test
    void aRecordingIsFetchedAndAddedOverConnectionsThatAreCut() throws Exception {
        try (S3Server server = S3Server.start(JAR, temp, "runs")) {
            Path out = temp.resolve("out");
            URI url = URI.create("s3a://runs/run");
            try (FileSystem direct = FileSystem.newInstance(url, configuration(server.port()))) {
                direct.copyFromLocalFile(
                        new org.apache.hadoop.fs.Path(stage.first().toUri()), new org.apache.hadoop.fs.Path(url));
            }
            try (CuttingProxy proxy = new CuttingProxy(server.port(), 6, 9000);
                    RecordingSource source =
                            Sources.in(FileSystem.newInstance(url, configuration(proxy.port())), url)) {
                new Fetch(source, out, _ -> {}, _ -> {}).run(Optional.empty());
                assertTrue(proxy.cuts() > 2, "cuts: " + proxy.cuts());
            }
            assertEquals(StoreStage.digests(stage.first()), StoreStage.digests(out));
            try (CuttingProxy proxy = new CuttingProxy(server.port(), 6, 9000);
                    RecordingSource source =
                            Sources.in(FileSystem.newInstance(url, configuration(proxy.port())), url)) {
                ObjectStore store = ObjectStore.openOrMake(new LocalStoreFiles(temp.resolve("store")));
                new AddRun(store, _ -> {}, _ -> {}).run(source, false);
                assertEquals(List.of(), new Upkeep(store).check().wrong());
                assertTrue(proxy.cuts() > 2, "cuts: " + proxy.cuts());
            }
        }
    }

    private static StoreFiles files(int port, String url) throws IOException {
        return new HadoopStoreFiles(
                FileSystem.newInstance(URI.create(url), configuration(port)), new org.apache.hadoop.fs.Path(url));
    }

    private static Configuration configuration(int port) {
        Configuration configuration = Sources.configuration();
        Map.of(
                        "fs.s3a.endpoint", "http://127.0.0.1:" + port,
                        "fs.s3a.endpoint.region", "us-east-1",
                        "fs.s3a.path.style.access", "true",
                        "fs.s3a.access.key", S3Server.KEY,
                        "fs.s3a.secret.key", S3Server.SECRET,
                        "fs.s3a.retry.interval", "50ms",
                        "fs.s3a.change.detection.mode", "none")
                .forEach(configuration::set);
        return configuration;
    }
}
