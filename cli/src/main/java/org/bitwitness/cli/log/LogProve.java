package org.bitwitness.cli.log;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.WholeFile;
import org.bitwitness.attestation.log.LogReader;
import org.bitwitness.attestation.log.LogReceipt;
import org.bitwitness.attestation.log.LogSource;
import org.bitwitness.attestation.log.LogSources;
import org.bitwitness.attestation.log.TlogProof;
import org.bitwitness.attestation.note.SignedNote;
import org.bitwitness.attestation.trust.VerifiedCheckpoint;
import org.bitwitness.attestation.trust.WitnessPolicy;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bitwitness log prove}: a proof that stands alone, made or checked. */
@Command(
        name = "prove",
        description = {
            "Make or check the proof that an entry is in a log (c2sp.org/tlog-proof).",
            "The proof is for the checkpoint that the log publishes now, or for the one in --checkpoint."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  bitwitness log prove demo-out/log --index 3 --out entry-3.tlog-proof",
            "  bitwitness log prove demo-out/log --index 3 --checkpoint seen-yesterday",
            "  bitwitness log prove --check entry-3.tlog-proof --trust demo-out/trust"
        })
final class LogProve extends BaseCommand {
    @Parameters(arity = "0..1", paramLabel = "LOG", description = "Folder or URL of the log.")
    private Optional<String> log = Optional.empty();

    @Option(names = "--index", paramLabel = "N", description = "Which entry, from 0.")
    private Optional<Long> index = Optional.empty();

    @Option(names = "--checkpoint", paramLabel = "FILE", description = "Prove against this earlier checkpoint.")
    private Optional<Path> checkpointFile = Optional.empty();

    @Option(names = "--out", paramLabel = "FILE", description = "Write the proof there instead of showing it.")
    private Optional<Path> out = Optional.empty();

    @Option(names = "--check", paramLabel = "FILE", description = "Check this proof; needs no log.")
    private Optional<Path> check = Optional.empty();

    @Mixin
    private LogTrust trust = new LogTrust();

    @Override
    protected CommandResult execute(CommandIo io) throws AttestationException, CommandFailure, IOException {
        if (check.isPresent()) {
            if (log.isPresent() || index.isPresent()) {
                throw CommandFailure.usage("--check FILE stands alone: it needs neither a log nor --index");
            }
            return check(check.get());
        }
        if (log.isEmpty() || index.isEmpty()) {
            throw CommandFailure.usage("say which log and which entry: bitwitness log prove LOG --index N");
        }
        return make(log.get(), index.get());
    }

    private CommandResult make(String at, long entry) throws AttestationException, CommandFailure, IOException {
        WitnessPolicy policy = trust.forLog(at);
        LogSource source = LogSources.at(at);
        LogReader reader = checkpointFile.isPresent()
                ? LogReader.at(source, policy.verify(SignedNote.parse(Files.readAllBytes(checkpointFile.get()))))
                : LogReader.open(source, policy);
        if (entry < 0 || entry >= reader.size()) {
            throw CommandFailure.usage(outside(entry, reader));
        }
        LogReceipt receipt = reader.receipt(entry);
        receipt.verify(policy);
        String proof = TlogProof.of(receipt).text();
        if (out.isPresent()) {
            WholeFile.write(out.get(), proof.getBytes(StandardCharsets.UTF_8));
        }
        Map<String, Object> document = document(
                reader.checkpoint(), receipt.index(), receipt.leafHash().hex());
        document.put("proof", proof);
        List<String> lines = out.map(
                        file -> List.of("entry %d of %d proved in %s".formatted(entry, reader.size(), file)))
                .orElseGet(() -> proof.lines().toList());
        return CommandResult.of(ExitCode.OK, document, lines);
    }

    private String outside(long entry, LogReader reader) {
        String range = reader.size() == 0
                ? "has no entry yet"
                : "has %d entries, 0 to %d".formatted(reader.size(), reader.size() - 1);
        return checkpointFile.isEmpty() || entry < 0
                ? "--index %d: %s %s".formatted(entry, reader.origin(), range)
                : "--index %d: %s %s in the checkpoint %s; for a later entry get a newer checkpoint (size %d or more)"
                        .formatted(entry, reader.origin(), range, checkpointFile.get(), entry + 1);
    }

    private CommandResult check(Path file) throws AttestationException, CommandFailure, IOException {
        WitnessPolicy policy = trust.forLog(file.toString());
        TlogProof proof = TlogProof.parse(Files.readAllBytes(file));
        byte[] leaf = proof.extra()
                .orElseThrow(() -> AttestationException.inconclusive(
                        file + " does not carry the entry it is about (no extra line): nothing to check it against"));
        VerifiedCheckpoint checkpoint = proof.verify(leaf, policy);
        String leafHash =
                org.bitwitness.protocol.merkle.MerkleTree.leafHash(leaf).hex();
        return CommandResult.of(
                ExitCode.OK,
                document(checkpoint, proof.index(), leafHash),
                List.of("entry %d (leaf hash %s) is in %s, tree size %d, cosigned by %d witnesses"
                        .formatted(
                                proof.index(),
                                leafHash,
                                checkpoint.checkpoint().origin(),
                                checkpoint.checkpoint().size(),
                                checkpoint.cosignatures().size())));
    }

    private static Map<String, Object> document(VerifiedCheckpoint checkpoint, long index, String leafHash) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("index", index);
        document.put("leafHash", leafHash);
        document.put("checkpoint", LogSummary.of(checkpoint));
        return document;
    }
}
