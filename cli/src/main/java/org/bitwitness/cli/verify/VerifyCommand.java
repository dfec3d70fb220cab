package org.bitwitness.cli.verify;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code bitwitness verify}: says in a few lines what is proven about a file, a digest or a bundle, and what is not.
 */
@Command(
        name = "verify",
        description = {
            "Say what is proven about a model file, a digest, an attestation or a signed model folder.",
            "With --log the whole log is read, so a failed verdict that somebody left out is found. Without it only"
                    + " bundles and signed folders can be verified, offline, and failed verdicts elsewhere cannot be"
                    + " excluded."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  bitwitness verify released/model.safetensors --log log --trust trust",
            "  bitwitness verify verdicts/alice-STEP-17.sigstore.json --trust trust",
            "",
            "Exit codes: 0 verified, 1 usage or environment, 2 refused or a unit diverged, 3 undecided."
        })
public final class VerifyCommand extends BaseCommand {
    @Parameters(
            arity = "1..*",
            paramLabel = "FILE|DIGEST|BUNDLE",
            description = "A model file, 64 hex digits, a .sigstore.json bundle, or a folder with model.sig.")
    private List<String> targets = List.of();

    @Option(names = "--log", paramLabel = "DIR|URL", description = "The log to read from its first entry to its last.")
    private Optional<String> log = Optional.empty();

    @Option(names = "--trust", paramLabel = "DIR", description = "Whom you trust: policy.txt, auditors/, trainers/.")
    private Optional<Path> trust = Optional.empty();

    @Option(names = "--key", paramLabel = "PEM", description = "One more public key to accept as a signer.")
    private Optional<Path> key = Optional.empty();

    @Override
    protected CommandResult execute(CommandIo io) throws Exception {
        Verifier verifier = Verifier.open(trust, log, key);
        List<Object> documents = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        List<ExitCode> codes = new ArrayList<>();
        for (String target : targets) {
            Judgement judgement;
            try {
                judgement = verifier.judge(target);
            } catch (AttestationException e) {
                judgement = Judgement.of(target, e);
            }
            documents.add(judgement.document());
            lines.addAll(judgement.lines());
            codes.add(judgement.exitCode());
        }
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("exitCode", ExitCode.worstOf(codes).code());
        document.put("results", documents);
        return CommandResult.of(ExitCode.worstOf(codes), document, lines);
    }
}
