package org.bitwitness.cli.dispute;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DisputeFolderTest {
    private static final int WRITERS = 4;
    private static final int ROUNDS = 50;

    @TempDir
    Path folder;

    @Test
    void ofManyWhoWriteTheSameMessageOneDoesAndItsBytesStay() throws Exception {
        CyclicBarrier together = new CyclicBarrier(WRITERS);
        try (var writers = Executors.newFixedThreadPool(WRITERS)) {
            for (int round = 0; round < ROUNDS; round++) {
                Path message = folder.resolve(round + ".json");
                List<Future<Boolean>> written = new ArrayList<>();
                for (int writer = 0; writer < WRITERS; writer++) {
                    byte[] bytes = String.valueOf(writer).repeat(1000).getBytes(StandardCharsets.US_ASCII);
                    written.add(writers.submit(() -> {
                        together.await();
                        return writes(message, bytes);
                    }));
                }
                List<String> winners = new ArrayList<>();
                for (int writer = 0; writer < WRITERS; writer++) {
                    if (written.get(writer).get()) {
                        winners.add(String.valueOf(writer).repeat(1000));
                    }
                }
                assertEquals(List.of(Files.readString(message)), winners, "round " + round);
            }
        }
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(ROUNDS, files.count(), "nothing else stays behind");
        }
    }

    @Test
    void aFileThatIsThereStaysAsItIs() throws Exception {
        Path message = Files.writeString(folder.resolve("0001.json"), "first");
        assertThrows(
                FileAlreadyExistsException.class,
                () -> DisputeFolder.write(message, "second".getBytes(StandardCharsets.US_ASCII)));
        assertEquals("first", Files.readString(message));
    }

    private static boolean writes(Path message, byte[] bytes) throws Exception {
        try {
            DisputeFolder.write(message, bytes);
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
    }
}
