package org.bitwitness.protocol.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.bitwitness.protocol.ProtocolException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WriterLockTest {
    @TempDir
    Path folder;

    private Path file = Path.of("");

    @BeforeEach
    void nameTheFile() {
        file = folder.resolve("lock");
    }

    @Test
    void aSecondOwnerIsRefusedAndToldWhoTheFirstIs() throws Exception {
        try (WriterLock held = WriterLock.take(file, "the thing")) {
            ProtocolException e = assertThrows(ProtocolException.class, () -> WriterLock.take(file, "the thing"));
            assertEquals(ProtocolException.Kind.ENVIRONMENT, e.kind());
            assertTrue(
                    e.getMessage()
                            .startsWith("process " + ProcessHandle.current().pid() + " already writes the thing"),
                    e.getMessage());
            held.closeAndRemove();
        }
        assertFalse(Files.exists(file));
        WriterLock.take(file, "the thing").close();
        assertTrue(Files.exists(file), "an owner that only lets go leaves its mark");
        WriterLock.take(file, "the thing").closeAndRemove();
    }

    @Test
    void anotherProcessIsRefusedAsLongAsTheLockIsHeld() throws Exception {
        try (WriterLock held = WriterLock.take(file, "the thing")) {
            for (int attempt = 0; attempt < 2; attempt++) {
                assertThrows(ProtocolException.class, () -> WriterLock.take(file, "the thing"));
                String refused = inAnotherProcess();
                assertTrue(
                        refused.startsWith("process " + ProcessHandle.current().pid() + " already writes"), refused);
            }
            held.closeAndRemove();
        }
        assertEquals("taken", inAnotherProcess());
        WriterLock.take(file, "the thing").closeAndRemove();
    }

    private String inAnotherProcess() throws Exception {
        Path said = folder.resolve("said");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Taker.class.getName(),
                        file.toString())
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        process.waitFor();
        return Files.readString(said).strip();
    }

    /** Another process. */
    static final class Taker {
        private Taker() {}

        public static void main(String[] args) throws Exception {
            try {
                WriterLock.take(Path.of(args[0]), "the thing").close();
                System.out.println("taken");
            } catch (ProtocolException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    @Test
    void whoOpenedTheFileBeforeItsOwnerRemovedItTakesTheNewOne() throws Exception {
        Files.writeString(file, "of another process");
        AtomicInteger opened = new AtomicInteger();
        try (WriterLock second = WriterLock.take(file, "the thing", () -> {
            if (opened.getAndIncrement() == 0) {
                remove(file);
            }
        })) {
            assertEquals(2, opened.get(), "the file that was removed is no lock");
            assertThrows(ProtocolException.class, () -> WriterLock.take(file, "the thing"));
            second.closeAndRemove();
        }
    }

    private static void remove(Path file) {
        try {
            Files.delete(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
