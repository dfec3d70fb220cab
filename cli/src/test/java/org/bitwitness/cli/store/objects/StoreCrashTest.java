package org.bitwitness.cli.store.objects;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.bitwitness.cli.run.fetch.Fetch;
import org.bitwitness.cli.run.fetch.RecordingSource;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.protocol.record.FileEntry;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Stops a store anywhere, kills the process that writes it, and lets two use it at once. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StoreCrashTest {
    @TempDir
    static Path home;

    @TempDir
    Path temp;

    private StoreStage stage;

    @BeforeAll
    void train() throws Exception {
        stage = StoreStage.train(home);
    }

    /** Not an exception that anybody handles: the process is gone. */
    private static final class MachineStopped extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** Writes down where it passes, and stops at one of these places. */
    private static final class StopAt implements StoreBoundary {
        private final int stop;
        private final List<String> places = new ArrayList<>();

        StopAt(int stop) {
            this.stop = stop;
        }

        @Override
        public void at(String place) {
            places.add(place);
            if (places.size() > stop) {
                throw new MachineStopped();
            }
        }
    }

    @Test
    void whereverAddingStopsNothingIsLostAndTheNextOneGoesOn() throws Exception {
        StopAt never = new StopAt(Integer.MAX_VALUE);
        Path whole = temp.resolve("whole");
        StoreStage.add(stage.first(), new LocalStoreFiles(whole));
        StoreStage.add(stage.second(), new LocalStoreFiles(whole, never));
        assertTrue(never.places.size() > 40, never.places.toString());
        Path store = temp.resolve("store");
        StoreStage.add(stage.first(), new LocalStoreFiles(store));
        Set<Integer> runs = new HashSet<>();
        for (int stop = 0; stop < never.places.size(); stop++) {
            LocalStoreFiles stopping = new LocalStoreFiles(store, new StopAt(stop));
            assertThrows(MachineStopped.class, () -> StoreStage.add(stage.second(), stopping));
            runs.add(requireAllNamedThere(new LocalStoreFiles(store)));
            // What was added before the stop would otherwise make the next way shorter.
            new Upkeep(ObjectStore.open(new LocalStoreFiles(store))).collect(false);
        }
        assertEquals(Set.of(1, 2), runs, "the last place is after the manifest's move");
        StoreStage.add(stage.second(), new LocalStoreFiles(store));
        assertEquals(
                List.of(),
                new Upkeep(ObjectStore.open(new LocalStoreFiles(store))).check().wrong());
        assertEquals(
                StoreStage.digests(whole).keySet(), StoreStage.digests(store).keySet());
    }

    @Test
    void whereverCollectingStopsTheRunsStay() throws Exception {
        Path store = temp.resolve("store");
        StoreStage.add(stage.first(), new LocalStoreFiles(store));
        for (int stop = 0; stop < 8; stop++) {
            StoreStage.add(stage.second(), new LocalStoreFiles(store));
            ObjectStore objects = ObjectStore.open(new LocalStoreFiles(store, new StopAt(stop)));
            for (StoredRun run : objects.runs().values()) {
                if (run.runId().equals(new RunId(idOf(stage.second())))) {
                    try {
                        new Upkeep(objects).remove(run);
                        new Upkeep(objects).collect(false);
                    } catch (MachineStopped expected) {
                        assertTrue(requireAllNamedThere(new LocalStoreFiles(store)) >= 1);
                    }
                }
            }
        }
    }

    /** The child stands at a place inside add and is killed there; while it lives, gc does not start. */
    @Test
    void aProcessThatIsKilledLosesNothingAndItsLockGoesWithIt() throws Exception {
        StopAt never = new StopAt(Integer.MAX_VALUE);
        StoreStage.add(stage.second(), new LocalStoreFiles(temp.resolve("count"), never));
        Path store = temp.resolve("store");
        StoreStage.add(stage.first(), new LocalStoreFiles(store));
        for (String place : List.of("after write objects/", "after move objects/", "before move runs/")) {
            Process child = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:+UseSerialGC",
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            AddMain.class.getName(),
                            stage.second().toString(),
                            store.toString(),
                            place)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            try {
                assertEquals('!', child.getInputStream().read(), "the child stands there");
                ProtocolException e = assertThrows(
                        ProtocolException.class, () -> upkeep(store).collect(false));
                assertTrue(e.getMessage().contains("is being added"), e.getMessage());
            } finally {
                child.destroyForcibly();
            }
            assertTrue(child.waitFor(2, TimeUnit.MINUTES));
            assertEquals(1, requireAllNamedThere(new LocalStoreFiles(store)));
            Upkeep.Collected collected = upkeep(store).collect(false);
            assertEquals(place.startsWith("after move") ? 0 : 1, collected.leftovers(), place);
            assertEquals(List.of(), upkeep(store).check().wrong());
        }
        StoreStage.add(stage.second(), new LocalStoreFiles(store));
        assertEquals(2, requireAllNamedThere(new LocalStoreFiles(store)));
    }

    /** Adds until it comes to a place that begins with its last argument, says so, and waits to be killed. */
    static final class AddMain {
        private AddMain() {}

        public static void main(String[] arguments) throws Exception {
            StoreBoundary stop = at -> {
                if (at.startsWith(arguments[2])) {
                    System.out.print('!');
                    System.out.flush();
                    while (true) {
                        try {
                            Thread.sleep(Long.MAX_VALUE);
                        } catch (InterruptedException e) {
                            throw new IOException(e);
                        }
                    }
                }
            };
            StoreStage.add(Path.of(arguments[0]), new LocalStoreFiles(Path.of(arguments[1]), stop));
        }
    }

    @Test
    void collectingAndAddingKeepEachOtherOutAndTwoMayAdd() throws Exception {
        Path store = temp.resolve("store");
        StoreStage.add(stage.first(), new LocalStoreFiles(store));
        List<String> seen = new ArrayList<>();
        StoreBoundary meanwhile = place -> {
            if (place.startsWith("before move objects") && seen.isEmpty()) {
                seen.add(place);
                assertThrows(ProtocolException.class, () -> upkeep(store).collect(false));
                try {
                    StoreStage.add(stage.second(), new LocalStoreFiles(store));
                } catch (Exception e) {
                    throw new IOException(e);
                }
            }
        };
        StoreStage.add(stage.second(), new LocalStoreFiles(store, meanwhile));
        assertEquals(1, seen.size());
        assertEquals(new Upkeep.Collected(0, 0, 0, 0), upkeep(store).collect(false));
        assertEquals(List.of(), upkeep(store).check().wrong());
        ObjectStore objects = ObjectStore.open(new LocalStoreFiles(store, place -> {
            if (place.startsWith("before delete objects")) {
                seen.add(place);
                assertThrows(ProtocolException.class, () -> StoreStage.add(stage.first(), new LocalStoreFiles(store)));
            }
        }));
        upkeep(store).remove(objects.run(idOf(stage.first()).hex()));
        new Upkeep(objects).collect(false);
        assertTrue(seen.size() > 3, seen.toString());
    }

    @Test
    void aHadoopFileSystemHoldsTheSameStoreAndLeasesStandForLocks() throws Exception {
        Path store = Files.createDirectories(temp.resolve("hadoop"));
        try (StoreFiles files = hadoop(store)) {
            StoreStage.add(stage.first(), files);
            StoreStage.add(stage.second(), files);
            ObjectStore objects = ObjectStore.open(files);
            Upkeep upkeep = new Upkeep(objects);
            assertEquals(List.of(), upkeep.check().wrong());
            try (StoreFiles.Lock shared = files.lock(false)) {
                shared.keep();
                files.lock(false).close();
                assertTrue(assertThrows(ProtocolException.class, () -> upkeep.collect(false))
                        .getMessage()
                        .contains("somebody else is changing the store"));
            }
            StoreFiles.Lock dead = files.lock(true);
            assertThrows(ProtocolException.class, () -> StoreStage.add(stage.first(), files));
            for (File lease :
                    List.of(Optional.ofNullable(store.resolve("locks").toFile().listFiles())
                            .orElseThrow())) {
                assertTrue(lease.setLastModified(lease.lastModified() - LeaseLock.LIFE.toMillis() - 1000));
            }
            upkeep.remove(objects.run(idOf(stage.first()).hex()));
            assertTrue(upkeep.collect(false).objects() > 3, "an old lease does not count");
            dead.close();
            assertEquals(1, requireAllNamedThere(files));
            Path out = temp.resolve("out");
            new Fetch(objects.run(idOf(stage.second()).hex()), out, _ -> {}, _ -> {}).run(Optional.empty());
            assertEquals(StoreStage.digests(stage.second()), StoreStage.digests(out));
            assertThrows(
                    IOException.class,
                    () -> files.put("objects/aa/half", to -> {
                        to.write(1);
                        throw new IOException("no space left on device");
                    }));
            assertEquals(0, files.leftovers());
            assertTrue(files.size("objects/aa/half").isEmpty());
        }
    }

    @Test
    void aSourceThatBreaksGoesOnWhereItStoppedAndAFullStoreIsNotAskedAgain() throws Exception {
        List<Long> offsets = new ArrayList<>();
        RecordingSource folder = RecordingSource.folder(stage.first());
        RecordingSource breaking = new RecordingSource() {
            @Override
            public boolean exists(RecordingPath path) throws IOException {
                return folder.exists(path);
            }

            @Override
            public InputStream open(RecordingPath path, long offset) throws IOException {
                InputStream in = folder.open(path, offset);
                if (!path.text().endsWith("000000000004/optimizer.safetensors")) {
                    return in;
                }
                offsets.add(offset);
                return offset > 2000 ? in : new Breaks(in, 1500);
            }

            @Override
            public String describe() {
                return "breaking";
            }

            @Override
            public void close() {}
        };
        Path store = temp.resolve("store");
        ObjectStore objects = ObjectStore.openOrMake(new LocalStoreFiles(store));
        List<Integer> pauses = new ArrayList<>();
        new AddRun(objects, pauses::add, _ -> {}).run(breaking, false);
        assertEquals(offsets.size() - 1, pauses.size());
        assertTrue(offsets.size() > 2, offsets.toString());
        assertEquals(List.of(), new Upkeep(objects).check().wrong());
    }

    /** Gives so many bytes, then fails. */
    private static final class Breaks extends FilterInputStream {
        private int left;

        Breaks(InputStream in, int left) {
            super(in);
            this.left = left;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            if (left == 0) {
                throw new IOException("connection reset");
            }
            int n = super.read(into, offset, Math.min(length, left));
            left -= Math.max(0, n);
            return n;
        }
    }

    private static Upkeep upkeep(Path store) throws Exception {
        return new Upkeep(ObjectStore.open(new LocalStoreFiles(store)));
    }

    private static StoreFiles hadoop(Path folder) throws IOException {
        return new HadoopStoreFiles(
                FileSystem.newInstance(folder.toUri(), new Configuration()),
                new org.apache.hadoop.fs.Path(folder.toUri()));
    }

    private static Sha256 idOf(Path run) throws Exception {
        return Commitment.decode(Files.readAllBytes(run.resolve("commitments/0000.bin")))
                .runId()
                .digest();
    }

    /** How many runs there are; each object that one names has its size. */
    private static int requireAllNamedThere(StoreFiles files) throws Exception {
        Map<RunId, StoredRun> runs = ObjectStore.open(files).runs();
        for (StoredRun run : runs.values()) {
            for (FileEntry file : run.manifest().files()) {
                assertEquals(
                        file.bytes(),
                        files.size(ObjectStore.object(file.sha256())).orElse(-1),
                        file.path().text());
            }
        }
        return runs.size();
    }
}
