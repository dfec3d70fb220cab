package org.bitwitness.cli.dispute;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import org.bitwitness.attestation.keys.KeyFolder;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.cli.support.Passphrases;
import org.bitwitness.replayer.dispute.Move;
import org.bitwitness.replayer.dispute.Status;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bitwitness dispute referee}: rules where it can, else starts or reads the clock. */
@Command(
        name = "referee",
        description = {
            "Do what the referee has to do now: rule, or start the clock of whoever must answer.",
            "Exit 0: ruled; 3: not decided yet; 2: the dispute's files do not hold."
        },
        footerHeading = "%nExample:%n",
        footer = "  bitwitness dispute referee dispute-17-2 --key keys/referee")
final class DisputeReferee extends DisputeAction {
    @Parameters(paramLabel = "DIR", description = "Folder of the dispute.")
    private Path dispute = Path.of("");

    @Option(names = "--key", required = true, paramLabel = "DIR", description = "Key folder of the referee.")
    private Path key = Path.of("");

    private final InstantSource clock;

    DisputeReferee() {
        this(InstantSource.system());
    }

    DisputeReferee(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    protected CommandResult execute(CommandIo io) throws Exception {
        Transcript transcript = Transcript.read(new DisputeFolder(dispute));
        SigningKey signer = new KeyFolder(key).signingKey(Passphrases.ask());
        transcript.requireReferee(signer.verifyingKey());
        Optional<Move> move = new RefereeDesk(clock, io::note).next(transcript);
        if (move.isPresent()) {
            transcript.append(signer, move.get());
        }
        Map<String, Object> document = DisputeText.document(transcript);
        boolean ruled = transcript.game().status() instanceof Status.Ruled;
        return CommandResult.of(ruled ? ExitCode.OK : ExitCode.INCONCLUSIVE, document, DisputeText.lines(transcript));
    }
}
