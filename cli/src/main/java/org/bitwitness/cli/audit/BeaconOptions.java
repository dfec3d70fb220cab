package org.bitwitness.cli.audit;

import java.nio.file.Path;
import java.util.Optional;
import org.bitwitness.attestation.drand.RoundSource;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.protocol.record.BeaconMode;
import picocli.CommandLine.Option;

/** Where the randomness of a draw comes from. The run's OPEN says which kind; nobody chooses it here. */
final class BeaconOptions {
    @Option(
            names = "--beacon",
            paramLabel = "MODE",
            description =
                    "The beacon mode that you expect: drand, witness-vrf or vrf-only. Another one in the run is an"
                            + " error.")
    private Optional<String> mode = Optional.empty();

    @Option(
            names = "--round-file",
            paramLabel = "FILE",
            description = "For drand without a network: a file with what a relay answers for the round.")
    private Optional<Path> roundFile = Optional.empty();

    RoundSource rounds() {
        return roundFile.map(RoundSource::file).orElseGet(RoundSource::live);
    }

    boolean isNamed() {
        return mode.isPresent() || roundFile.isPresent();
    }

    void require(BeaconMode ofTheRun) throws CommandFailure {
        if (mode.isPresent()) {
            BeaconMode expected = CommandFailure.typed(() -> BeaconMode.ofText(mode.get()));
            if (expected != ofTheRun) {
                throw CommandFailure.usage("--beacon %s: this run's OPEN promised %s, which nobody can change now"
                        .formatted(expected.text(), ofTheRun.text()));
            }
        }
        if (roundFile.isPresent() && ofTheRun != BeaconMode.DRAND) {
            throw CommandFailure.usage(
                    "--round-file belongs to beacon mode drand; this run's OPEN promised " + ofTheRun.text());
        }
    }
}
