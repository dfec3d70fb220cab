package org.bitwitness.protocol.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.format.RecordingPaths;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an archive from a stranger can put in the place of a file. */
class StrangeFilesTest {
    @TempDir
    Path recording;

    @Test
    void readsAPlainFile() throws Exception {
        Files.writeString(file(), "{}", StandardCharsets.UTF_8);
        try (StoredFile stored = FolderStore.open(recording).open(RecordingPaths.DESCRIPTOR)) {
            assertEquals(2, stored.size());
        }
    }

    @Test
    void refusesAFolderInThePlaceOfAFile() throws Exception {
        Files.createDirectory(file());
        assertNotPlain();
    }

    /** A named pipe is refused by the same check; without it, opening one waits for ever. */
    @Test
    void refusesASocketInThePlaceOfAFile() throws Exception {
        try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(file()));
            assertNotPlain();
        }
    }

    private void assertNotPlain() throws Exception {
        FolderStore store = FolderStore.open(recording);
        ProtocolException refused = assertThrows(
                ProtocolException.class,
                () -> store.open(RecordingPaths.DESCRIPTOR).close());
        assertEquals(ProtocolException.Kind.MALFORMED, refused.kind());
        String message = String.valueOf(refused.getMessage());
        assertTrue(message.contains("should be a plain file"), message);
    }

    private Path file() {
        return recording.resolve(RecordingPaths.DESCRIPTOR.text());
    }
}
