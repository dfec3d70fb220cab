package org.bitwitness.cli.train;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.bitwitness.protocol.format.RecordingPaths;

/** A recording whose OPEN has no receipt: nothing rests on it, and left there it would be in the way of the next try. */
final class UnopenedRun {
    private UnopenedRun() {}

    /**
     * Takes the folder away unless it holds a receipt.
     *
     * @param run a folder that this process has made
     */
    static void remove(Path run) throws IOException {
        Path receipt = run.resolve(RecordingPaths.commitmentBundle(0).text());
        if (!Files.isDirectory(run) || Files.exists(receipt)) {
            return;
        }
        try (Stream<Path> all = Files.walk(run)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        } catch (UncheckedIOException e) {
            throw new IOException("cannot take away " + run + ", which holds no commitment", e);
        }
    }
}
