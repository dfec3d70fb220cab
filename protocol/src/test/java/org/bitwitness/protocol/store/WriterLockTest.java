package org.bitwitness.protocol.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.bitwitness.protocol.ProtocolException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WriterLockTest {
    private static final int TAKERS = 4;
    private static final int TRIES = 2000;

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

    /** A taker may have opened the file that the last owner is about to remove. */
    @Test
    void ofManyTakersOneHoldsItAtATimeThoughEachRemovesIt() throws Exception {
        AtomicInteger owners = new AtomicInteger();
        AtomicInteger taken = new AtomicInteger();
        try (var takers = Executors.newFixedThreadPool(TAKERS)) {
            List<Future<?>> all = new ArrayList<>();
            for (int taker = 0; taker < TAKERS; taker++) {
                all.add(takers.submit(() -> {
                    for (int i = 0; i < TRIES; i++) {
                        hold(owners, taken);
                    }
                    return taken;
                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
        }
        assertTrue(taken.get() > TRIES / 10, () -> "held only " + taken + " times");
    }

    private void hold(AtomicInteger owners, AtomicInteger taken) throws Exception {
        WriterLock lock;
        try {
            lock = WriterLock.take(file, "the thing");
        } catch (ProtocolException heldByAnother) {
            return;
        }
        try {
            assertEquals(1, owners.incrementAndGet(), "owners at once");
            taken.incrementAndGet();
        } finally {
            owners.decrementAndGet();
            lock.closeAndRemove();
        }
    }
}
