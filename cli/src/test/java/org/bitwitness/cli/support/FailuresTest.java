package org.bitwitness.cli.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InaccessibleObjectException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import org.bitwitness.protocol.ProtocolException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FailuresTest {
    @Test
    void aFailureOfACommandKeepsItsMessageAndCode() {
        assertExplained(CommandFailure.refused("shard 7 differs"), ExitCode.REFUSED, "shard 7 differs");
        assertExplained(CommandFailure.inconclusive("no beacon"), ExitCode.INCONCLUSIVE, "no beacon");
    }

    @Test
    void aReaderThatBlamesTheBytesExitsWithARefusal() {
        assertExplained(
                ProtocolException.malformed("steps/0.arrow is cut off"), ExitCode.REFUSED, "steps/0.arrow is cut off");
        assertExplained(
                new ProtocolException(ProtocolException.Kind.ENVIRONMENT, "run is not a folder"),
                ExitCode.USAGE,
                "run is not a folder");
    }

    @Test
    void aMissingFileIsNamed(@TempDir Path folder) {
        Path missing = folder.resolve("no such");
        try {
            Files.readString(missing);
            throw new AssertionError("the file should be missing");
        } catch (NoSuchFileException e) {
            assertExplained(new UncheckedIOException(e), ExitCode.USAGE, "no such file or folder: " + missing);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aFullDiskIsSaidInPlainWords() {
        FileSystemException full = new FileSystemException("/data/run/steps", null, "No space left on device");
        assertExplained(full, ExitCode.USAGE, "no space left on the disk that holds /data/run/steps");
        assertExplained(new IOException("No space left on device"), ExitCode.USAGE, "no space left on the disk: ");
    }

    @Test
    void aPortInUseIsSaidInPlainWords() throws IOException {
        try (ServerSocket first = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = first.getLocalPort();
            try (ServerSocket second = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                throw new AssertionError("should not get port " + second.getLocalPort());
            } catch (BindException e) {
                assertExplained(new ExecutionException(e), ExitCode.USAGE, "the port is in use");
            }
        }
    }

    @Test
    void aDefectIsNeverAVerdict() {
        Failures.Explained explained = Failures.explain(new IllegalStateException("index 7 of 3"));
        assertEquals(ExitCode.USAGE, explained.exitCode());
        assertTrue(explained.message().contains("Nothing was judged"), explained.message());
        assertTrue(explained.message().contains("--verbose"), explained.message());
    }

    @Test
    void aClosedPackageOfTheJdkNamesTheOption() {
        String jdk = "Unable to make field long java.nio.Buffer.address accessible: module java.base does not"
                + " \"opens java.nio\" to unnamed module @1f32e575";
        Failures.Explained explained = Failures.explain(new InaccessibleObjectException(jdk));
        assertTrue(explained.message().contains("--add-opens=java.base/java.nio=ALL-UNNAMED"), explained.message());
        assertFalse(explained.message().contains("\n"), explained.message());
    }

    @Test
    void aConflictOnTheClassPathNamesTheJar() {
        NoSuchMethodError conflict = new NoSuchMethodError("'void picocli.CommandLine.methodOfAnotherVersion(int)'");
        Failures.Explained explained = Failures.explain(conflict);
        assertEquals(ExitCode.USAGE, explained.exitCode());
        assertTrue(explained.message().contains("class path conflict"), explained.message());
        assertTrue(explained.message().contains("picocli-"), explained.message());
        assertFalse(explained.message().contains("\n"), explained.message());
    }

    private static void assertExplained(Throwable thrown, ExitCode exitCode, String part) {
        Failures.Explained explained = Failures.explain(thrown);
        assertEquals(exitCode, explained.exitCode(), explained.message());
        assertTrue(explained.message().contains(part), explained.message());
        assertFalse(explained.message().contains("Exception"), explained.message());
    }
}
