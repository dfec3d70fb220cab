package org.bitwitness.protocol.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.format.RecordingPaths;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.format.RecordingWriter;
import org.bitwitness.protocol.format.SmallRecording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stops the machine before and after every operation that changes the folder, and goes on afterwards. */
class CrashTest {
    @TempDir
    Path temp;

    /** Not an exception that anybody handles: the process is gone. */
    private static final class MachineStopped extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** Counts boundaries and stops at one of them. */
    private static final class StopAt implements WriteBoundary {
        private final int boundary;
        private int passed;

        StopAt(int boundary) {
            this.boundary = boundary;
        }

        @Override
        public void before(Operation operation, RecordingPath path) {
            count();
        }

        @Override
        public void after(Operation operation, RecordingPath path) {
            count();
        }

        private void count() {
            if (passed++ == boundary) {
                throw new MachineStopped();
            }
        }
    }

    @Test
    void leavesWholeFilesAndGoesOnToTheSameBytesWhereverItStops() throws Exception {
        Path whole = temp.resolve("whole");
        StopAt never = new StopAt(Integer.MAX_VALUE);
        SmallRecording.write(FolderStore.create(whole).withBoundary(never));
        assertTrue(never.passed > 50, "boundaries: " + never.passed);
        for (int boundary = 0; boundary < never.passed; boundary++) {
            Path cut = temp.resolve("cut-" + boundary);
            FolderStore stopping = FolderStore.create(cut).withBoundary(new StopAt(boundary));
            assertThrows(MachineStopped.class, () -> SmallRecording.write(stopping));
            FolderStore store = FolderStore.open(cut);
            assertWhole(whole, store, boundary);
            boolean finished = store.exists(RecordingPaths.commitment(2));
            if (store.exists(RecordingPaths.commitment(0)) && !finished) {
                RecordingReader.open(store).checkSteps();
                SmallRecording.finish(RecordingWriter.resume(store));
                assertEquals(FolderStore.open(whole).files(), store.files(), "boundary " + boundary);
                assertWhole(whole, store, boundary);
            }
        }
    }

    @Test
    void saysThatTheDiskIsFullAndLeavesNothing() throws Exception {
        FolderStore store = FolderStore.create(temp.resolve("full")).withBoundary(new WriteBoundary() {
            @Override
            public void after(Operation operation, RecordingPath path) throws IOException {
                throw new IOException("No space left on device");
            }
        });
        RecordingPath path = new RecordingPath("steps/000000000000.arrow");
        ProtocolException e =
                assertThrows(ProtocolException.class, () -> store.write(path, FileContent.of(new byte[100])));
        assertTrue(e.getMessage().contains("No space left on device"), e.getMessage());
        assertFalse(e.blamesTheBytes());
        assertEquals(List.of(), store.leftovers());
        assertEquals(List.of(), store.files());
    }

    @Test
    void neverChangesAFileThatIsThere() throws Exception {
        FolderStore store = FolderStore.create(temp.resolve("fixed"));
        RecordingPath path = new RecordingPath("released/config.json");
        var first = store.write(path, FileContent.of(new byte[] {1, 2}));
        assertEquals(first, store.write(path, FileContent.of(new byte[] {1, 2})));
        ProtocolException e =
                assertThrows(ProtocolException.class, () -> store.write(path, FileContent.of(new byte[] {1, 3})));
        assertTrue(e.getMessage().contains("must not change"), e.getMessage());
        assertEquals(first, store.entry(path));
    }

    @Test
    void refusesLinksAndOddNamesAnywhere() throws Exception {
        Path folder = temp.resolve("odd");
        FolderStore store = FolderStore.create(folder);
        store.write(new RecordingPath("released/config.json"), FileContent.of(new byte[1]));
        Path outside = Files.writeString(temp.resolve("outside"), "secret");
        Path link = Files.createSymbolicLink(folder.resolve("descriptor.json"), outside);
        assertRefused("symbolic link", () -> store.open(new RecordingPath("descriptor.json")));
        assertRefused("symbolic link", store::files);
        Files.delete(link);
        Files.move(folder.resolve("released"), temp.resolve("elsewhere"));
        Files.createSymbolicLink(folder.resolve("released"), temp.resolve("elsewhere"));
        assertRefused("symbolic link", () -> store.open(new RecordingPath("released/config.json")));
        Files.delete(folder.resolve("released"));
        Path hidden = Files.writeString(folder.resolve(".hidden"), "x");
        assertRefused("not a name", store::files);
        Files.delete(hidden);
        assertEquals(List.of(), store.files());
        assertRefused("missing", () -> store.open(new RecordingPath("descriptor.json")));
    }

    @Test
    void startsOnlyInAnEmptyFolder() throws Exception {
        Path folder = Files.createDirectories(temp.resolve("used"));
        Files.writeString(folder.resolve("thesis.txt"), "mine");
        ProtocolException e = assertThrows(ProtocolException.class, () -> FolderStore.create(folder));
        assertTrue(e.getMessage().contains("is not empty"), e.getMessage());
    }

    private interface Call {
        Object run() throws ProtocolException;
    }

    private static void assertRefused(String reason, Call call) {
        ProtocolException e = assertThrows(ProtocolException.class, call::run);
        assertTrue(e.getMessage().contains(reason), e.getMessage());
        assertTrue(e.blamesTheBytes());
    }

    private static void assertWhole(Path whole, FolderStore store, int boundary) throws Exception {
        for (RecordingPath path : store.files()) {
            assertEquals(
                    -1,
                    Files.mismatch(whole.resolve(path.text()), store.root().resolve(path.text())),
                    path + " at boundary " + boundary);
        }
    }
}
