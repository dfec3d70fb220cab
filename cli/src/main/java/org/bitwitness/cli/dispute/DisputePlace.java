package org.bitwitness.cli.dispute;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.replayer.dispute.DisputeException;
import picocli.CommandLine.Parameters;

/** Where a dispute is: a folder, or the URL of its referee, of which a copy is made for as long as the command runs. */
final class DisputePlace implements AutoCloseable {
    @Parameters(paramLabel = "DIR|URL", description = "Folder of the dispute, or where its referee serves it.")
    private String place = "";

    private Optional<RemoteDispute> remote = Optional.empty();
    private Optional<Path> temporary = Optional.empty();

    /** The dispute, every signature and rule checked. */
    Transcript read() throws AttestationException, IOException, DisputeException {
        if (!RemoteDispute.isUrl(place)) {
            return Transcript.read(new DisputeFolder(Path.of(place)));
        }
        close();
        Path made = Files.createTempDirectory("bitwitness-dispute-");
        temporary = Optional.of(made);
        RemoteDispute fetched = RemoteDispute.fetch(place, made.resolve("dispute"));
        remote = Optional.of(fetched);
        return Transcript.read(fetched.copy());
    }

    /** Makes what was added known to the referee, where the dispute is not a folder here. */
    void publish(Transcript transcript) throws AttestationException, IOException, DisputeException {
        if (remote.isPresent()) {
            remote.get().send(transcript);
        }
    }

    @Override
    public void close() throws IOException {
        if (temporary.isPresent()) {
            try (Stream<Path> files = Files.walk(temporary.get())) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
            temporary = Optional.empty();
        }
    }
}
