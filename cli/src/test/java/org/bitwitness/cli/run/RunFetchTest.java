package org.bitwitness.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.bitwitness.cli.CommandLineRun;
import org.bitwitness.cli.run.fetch.Fetch;
import org.bitwitness.cli.run.fetch.RecordingSource;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.Sha256;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Whole and partial copies of a recording that keeps updates, over good and bad connections. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RunFetchTest {
    private static final String KEEPS =
            TrainedRun.CONFIG.replace("\"checkpointEvery\": 2", "\"checkpointEvery\": 4, \"updates\": \"gradients\"");

    @TempDir
    static Path home;

    private TrainedRun run;

    @BeforeAll
    void train() throws Exception {
        run = TrainedRun.train(home, KEEPS);
    }

    @Test
    void aStoreWithoutItsConnectorIsNamed() {
        CommandLineRun run = CommandLineRun.of(
                "run",
                "fetch",
                "abfs://runs@bucket/run",
                "--out",
                home.resolve("abfs").toString());
        assertEquals(1, run.exitCode());
        assertTrue(run.err().contains("Hadoop's connector for abfs: is not part of this build"), run.err());
    }

    @Test
    void aWholeCopyThroughHadoopHasTheSameFilesAndVerifies() throws Exception {
        Path out = home.resolve("whole");
        CommandLineRun fetched =
                CommandLineRun.of("run", "fetch", run.folder().toUri().toString(), "--out", out.toString());
        assertEquals(0, fetched.exitCode(), fetched.err());
        assertEquals(digests(run.folder()), digests(out));
        CommandLineRun verified = CommandLineRun.of("run", "verify", out.toString());
        assertEquals(0, verified.exitCode(), verified.out() + verified.err());
        CommandLineRun again = CommandLineRun.of("run", "fetch", run.folder().toString(), "--out", out.toString());
        assertTrue(again.out().startsWith("0 files copied"), again.out());
    }

    @Test
    void aTarHoldsEveryCommittedFileAndTwoOfThemAreEqual() throws Exception {
        Path first = home.resolve("first.tar");
        Path second = home.resolve("second.tar");
        for (Path tar : List.of(first, second)) {
            CommandLineRun done = CommandLineRun.of(
                    "run", "export", run.folder().toString(), "--format", "tar", "--out", tar.toString());
            assertEquals(0, done.exitCode(), done.err());
        }
        assertEquals(Hashing.file(first), Hashing.file(second));
        Path out = home.resolve("untarred");
        try (TarArchiveInputStream in = new TarArchiveInputStream(Files.newInputStream(first))) {
            for (var entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                Path file = out.resolve(RecordingPath.of(entry.getName()).text());
                Files.createDirectories(file.getParent());
                Files.copy(in, file);
            }
        }
        assertEquals(digests(run.folder()), digests(out));
    }

    @Test
    void aUnitIsReplayedFromACopyOfNothingElse() throws Exception {
        Path out = home.resolve("part");
        CommandLineRun fetched = CommandLineRun.of(
                "run", "fetch", run.folder().toString(), "--units", "GRADIENT(3,1)", "--out", out.toString());
        assertEquals(0, fetched.exitCode(), fetched.err());
        CommandLineRun replayed =
                CommandLineRun.of("replay", out.toString(), "--unit", "GRADIENT(3,1)", "--backend", "reference");
        assertEquals(0, replayed.exitCode(), replayed.out() + replayed.err());
        assertTrue(Files.exists(out.resolve("updates/000000000002.update")));
        assertFalse(Files.exists(out.resolve("updates/000000000003.update")), "the unit does not read it");
        assertFalse(Files.exists(out.resolve("states/000000000004")));
        assertFalse(Files.exists(out.resolve("released")));
        assertEquals(
                1,
                CommandLineRun.of(
                                "run", "fetch", run.folder().toString(), "--units", "STEP(9)", "--out", out.toString())
                        .exitCode());
    }

    @Test
    void aConnectionThatBreaksGoesOnWhereItStopped() throws Exception {
        Path out = home.resolve("broken");
        List<Integer> pauses = new ArrayList<>();
        List<Long> offsets = new ArrayList<>();
        RecordingSource breaking = new Through(RecordingSource.folder(run.folder())) {
            @Override
            public InputStream open(RecordingPath path, long offset) throws IOException {
                boolean model = path.text().equals("states/000000000004/optimizer.safetensors");
                if (model) {
                    offsets.add(offset);
                }
                return model && offset < 4000 ? new Breaks(super.open(path, offset), 1500) : super.open(path, offset);
            }
        };
        new Fetch(breaking, out, pauses::add, _ -> {}).run(Optional.empty());
        assertEquals(List.of(0L, 1500L, 3000L, 4500L), offsets);
        assertEquals(List.of(2, 3, 4), pauses);
        assertEquals(digests(run.folder()), digests(out));
    }

    @Test
    void aStoreThatGivesOtherBytesIsRefusedAndLeavesNoSuchFile() throws Exception {
        Path out = home.resolve("liar");
        RecordingSource liar = new Through(RecordingSource.folder(run.folder())) {
            @Override
            public InputStream open(RecordingPath path, long offset) throws IOException {
                byte[] bytes = super.open(path, offset).readAllBytes();
                if (path.text().equals("steps/000000000002.arrow")) {
                    bytes[bytes.length / 2] ^= 1;
                }
                return new java.io.ByteArrayInputStream(bytes);
            }
        };
        Exception e = assertThrows(Exception.class, () -> new Fetch(liar, out, _ -> {}, _ -> {}).run(Optional.empty()));
        assertTrue(String.valueOf(e.getMessage()).contains("steps/000000000002.arrow: should have"), e.getMessage());
        assertFalse(Files.exists(out.resolve("steps/000000000002.arrow")));
    }

    @Test
    void aSourceThatGoesOnForEverIsRefused() throws Exception {
        RecordingSource endless = new Through(RecordingSource.folder(run.folder())) {
            @Override
            public boolean exists(RecordingPath path) {
                return true;
            }

            @Override
            public InputStream open(RecordingPath path, long offset) throws IOException {
                return super.open(RecordingPath.of("commitments/0000.bin"), offset);
            }
        };
        Exception e = assertThrows(
                Exception.class,
                () -> new Fetch(endless, home.resolve("endless"), _ -> {}, _ -> {}).run(Optional.empty()));
        assertTrue(String.valueOf(e.getMessage()).contains("should be commitment 1 after"), e.getMessage());
    }

    @Test
    void whatIsNoRecordingAndNoSuchSchemeExitWith1() {
        String out = home.resolve("none").toString();
        assertEquals(
                1,
                CommandLineRun.of("run", "fetch", home.toString(), "--out", out).exitCode());
        assertEquals(
                1, CommandLineRun.of("run", "fetch", "nowhere", "--out", out).exitCode());
        assertEquals(
                1, CommandLineRun.of("run", "fetch", "zzz://x/y", "--out", out).exitCode());
    }

    /** Another source's files. */
    private static class Through implements RecordingSource {
        private final RecordingSource source;

        Through(RecordingSource source) {
            this.source = source;
        }

        @Override
        public boolean exists(RecordingPath path) throws IOException {
            return source.exists(path);
        }

        @Override
        public InputStream open(RecordingPath path, long offset) throws IOException {
            return source.open(path, offset);
        }

        @Override
        public String describe() {
            return source.describe();
        }

        @Override
        public void close() throws IOException {
            source.close();
        }
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

    private static Map<String, Sha256> digests(Path folder) throws IOException {
        Map<String, Sha256> digests = new TreeMap<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                digests.put(folder.relativize(file).toString(), Hashing.file(file));
            }
        }
        return digests;
    }
}
