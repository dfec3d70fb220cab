package org.bitwitness.cli.dispute;

import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.Optional;
import org.bitwitness.attestation.keys.KeyFolder;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.cli.support.BackendOptions;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.cli.support.Passphrases;
import org.bitwitness.cli.support.ProgressBar;
import org.bitwitness.replayer.ReplayOptions;
import org.bitwitness.replayer.ReplaySalt;
import org.bitwitness.replayer.dispute.DisputeGame;
import org.bitwitness.replayer.dispute.Move;
import org.bitwitness.replayer.dispute.Party;
import org.bitwitness.replayer.dispute.Status;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bitwitness dispute answer}: the next message of the side whose key it is. */
@Command(
        name = "answer",
        description = {
            "Answer in a dispute, as trainer or auditor: whose key it is decides.",
            "Exit 0: answered; 3: it is not this side's turn; 2: the dispute's files do not hold."
        },
        footerHeading = "%nExample:%n",
        footer = "  bitwitness dispute answer dispute-17-2 --key keys/trainer --run demo-out/run")
final class DisputeAnswer extends DisputeAction {
    /** Between two looks while it follows: soon after an answer, then ever more rarely. */
    private static final long FIRST_WAIT_MILLIS = 100;

    private static final long LONGEST_WAIT_MILLIS = 5_000;

    @Mixin
    private DisputePlace place = new DisputePlace();

    @Option(names = "--key", required = true, paramLabel = "DIR", description = "Key folder of the side.")
    private Path key = Path.of("");

    @Option(names = "--run", required = true, paramLabel = "RUN", description = "Folder of the recording.")
    private Path run = Path.of("");

    @Option(
            names = "--notes",
            paramLabel = "FILE",
            description = {
                "The auditor.trace that dispute open left beside the dispute, so that not every answer replays;",
                "found by itself where the dispute is a folder."
            })
    private Optional<Path> notes = Optional.empty();

    @Mixin
    private BackendOptions backend = new BackendOptions();

    @Option(names = "--follow", description = "Go on answering until the dispute is decided.")
    private boolean follow;

    @Override
    protected CommandResult execute(CommandIo io) throws Exception {
        SigningKey signer = new KeyFolder(key).signingKey(Passphrases.ask());
        try (DisputePlace dispute = place) {
            Transcript transcript = dispute.read();
            Party party = party(transcript, signer);
            if (!answer(dispute, transcript, signer, io) && !follow) {
                throw CommandFailure.inconclusive("nothing to answer as %s now: %s"
                        .formatted(party, DisputeGame.describe(transcript.game().status())));
            }
            long waitMillis = FIRST_WAIT_MILLIS;
            while (follow && transcript.game().status() instanceof Status.Waiting) {
                Thread.sleep(waitMillis);
                transcript = dispute.read();
                boolean answered = answer(dispute, transcript, signer, io);
                waitMillis = answered ? FIRST_WAIT_MILLIS : Math.min(2 * waitMillis, LONGEST_WAIT_MILLIS);
            }
            return CommandResult.of(ExitCode.OK, DisputeText.document(transcript), DisputeText.lines(transcript));
        }
    }

    private static Party party(Transcript transcript, SigningKey signer) throws CommandFailure {
        return transcript
                .partyOf(signer.verifyingKey())
                .filter(p -> p != Party.REFEREE)
                .orElseThrow(() -> CommandFailure.usage("%s is neither the auditor's key nor the trainer's"
                        .formatted(signer.verifyingKey().id())));
    }

    /** Says what this side has to say now; false where it is not its turn. */
    private boolean answer(DisputePlace dispute, Transcript transcript, SigningKey signer, CommandIo io)
            throws Exception {
        DisputeGame game = transcript.game();
        if (!(game.status() instanceof Status.Waiting turn) || turn.from() != party(transcript, signer)) {
            return false;
        }
        FolderShelf shelf = new FolderShelf(transcript.folder().data());
        Move move;
        try (ProgressBar bar = io.progress("answer as " + turn.from(), 0)) {
            TraceMemo memo = notes.map(TraceMemo::new).orElseGet(transcript.folder()::memo);
            ReplayOptions options = new ReplayOptions(backend.id(), backend.threads(), ReplaySalt.NONE);
            move = new Side(game, memo, run, options)
                    .answer(turn, shelf, (done, total, note) -> bar.update(done, "of " + total + ", " + note));
        }
        try {
            transcript.append(signer, move);
        } catch (FileAlreadyExistsException e) {
            if (!follow) {
                throw e;
            }
            // The referee started or ended the clock at that moment: look again.
            return false;
        }
        dispute.publish(transcript);
        return true;
    }
}
