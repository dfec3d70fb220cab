package org.bitwitness.cli.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NewFileTest {
    @TempDir
    Path folder;

    @Test
    void aFileThatIsWrittenWholeStays() throws Exception {
        Path file = folder.resolve("run.tar");
        NewFile.write(file, out -> out.write(7));
        assertEquals(1, Files.size(file));
    }

    @Test
    void aFileThatCouldNotBeWrittenWholeIsAbsent() {
        Path file = folder.resolve("run.tar");
        assertThrows(
                IOException.class,
                () -> NewFile.write(file, out -> {
                    out.write(7);
                    throw new IOException("No space left on device");
                }));
        assertFalse(Files.exists(file));
    }

    @Test
    void aFileThatWasThereStaysAsItIs() throws Exception {
        Path file = folder.resolve("run.tar");
        Files.writeString(file, "mine");
        assertThrows(FileAlreadyExistsException.class, () -> NewFile.write(file, out -> out.write(7)));
        assertEquals("mine", Files.readString(file));
    }
}
