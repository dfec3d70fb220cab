package org.bitwitness.cli.audit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.log.LogReader;
import org.bitwitness.attestation.log.LogSources;
import org.bitwitness.attestation.registry.KeyRegistry;
import org.bitwitness.attestation.statement.AuditVerdictStatement;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.verify.LogSurvey;
import org.bitwitness.attestation.verify.Logged;
import org.bitwitness.cli.support.BackendOptions;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.cli.support.ProgressBar;
import org.bitwitness.cli.support.RuntimeNeed;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.ReplayProof;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.replayer.ReplayOptions;
import org.bitwitness.replayer.ReplaySalt;
import org.bitwitness.scheduler.CrossCheck;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bitwitness audit cross-check}: did the other auditors replay what they signed? */
@Command(
        name = "cross-check",
        description = {
            "Compute other auditors' replay proofs again, with their keys and challenges, and compare.",
            "A proof covers tensors that no recording holds: who signed another one did not do the work.",
            "Exit 0: every proof is right; 2: one is not; 3: something could not be compared; 1: nothing was judged."
        },
        footerHeading = "%nExample:%n",
        footer =
                "  bitwitness audit cross-check --run demo-out/run --log demo-out/log --trust demo-out/trust --entry 11")
final class AuditCrossCheck extends BaseCommand {
    @Option(names = "--run", required = true, paramLabel = "RUN", description = "Folder of the recording.")
    private Path run = Path.of("");

    @Option(names = "--log", required = true, paramLabel = "URL|DIR", description = "The log.")
    private String log = "";

    @Option(names = "--trust", required = true, paramLabel = "DIR", description = "Folder with policy.txt and keys.")
    private Path trust = Path.of("");

    @Option(
            names = "--entry",
            paramLabel = "N",
            description = "Only the verdict at this log entry. May be repeated. Default: every decided verdict by an"
                    + " auditor you accept.")
    private List<Long> entries = new ArrayList<>();

    @Mixin
    private BackendOptions backend = new BackendOptions();

    @Override
    protected Set<RuntimeNeed> needs() {
        return Set.of(RuntimeNeed.ARROW, RuntimeNeed.VECTOR);
    }

    @Override
    protected CommandResult execute(CommandIo io) throws Exception {
        ReplayOptions machine = new ReplayOptions(backend.id(), backend.threads(), ReplaySalt.NONE);
        TrustPolicy policy = CommandFailure.own(() -> TrustPolicy.load(trust));
        LogSurvey survey = LogSurvey.read(LogReader.open(LogSources.at(log), policy.witnesses()), policy);
        survey.requireComplete();
        CrossCheck check = new CrossCheck(run, survey, machine);
        return report(check(io, check, survey.registry()), survey.registry());
    }

    /** What a stranger signed costs a replay only where somebody asks for it by its entry. */
    private List<CrossCheck.Result> check(CommandIo io, CrossCheck check, KeyRegistry registry)
            throws AttestationException, ProtocolException, CommandFailure {
        List<Logged<AuditVerdictStatement>> verdicts =
                check.verdicts(index -> entries.isEmpty() || entries.contains(index)).stream()
                        .filter(verdict ->
                                !entries.isEmpty() || auditor(registry, verdict).isPresent())
                        .toList();
        for (long entry : entries) {
            if (verdicts.stream().noneMatch(verdict -> verdict.index() == entry)) {
                throw CommandFailure.usage(
                        "entry %d is no decided verdict on this run; audit report lists them".formatted(entry));
            }
        }
        if (verdicts.isEmpty()) {
            throw CommandFailure.usage(
                    "the log has no decided verdict on this run by an auditor you accept, so there is no proof to compute");
        }
        List<CrossCheck.Result> results = new ArrayList<>();
        for (Logged<AuditVerdictStatement> verdict : verdicts) {
            String unit = verdict.statement().report().unit().text();
            String task = "entry %d, %s".formatted(verdict.index(), unit);
            try (ProgressBar bar = io.progress(task, 0)) {
                results.add(check.check(verdict, (done, total, note) -> bar.update(done, "of " + total + ", " + note)));
            }
        }
        return results;
    }

    private static CommandResult report(List<CrossCheck.Result> results, KeyRegistry registry) {
        List<Json> documents = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        List<ExitCode> codes = new ArrayList<>();
        for (CrossCheck.Result result : results) {
            Optional<String> auditor = auditor(registry, result.verdict());
            documents.add(document(result, auditor));
            lines.add("entry %-5d %-14s %-16s %s"
                    .formatted(
                            result.verdict().index(),
                            result.report().unit().text(),
                            auditor.orElse("unknown key"),
                            words(result)));
            codes.add(exitCode(result));
        }
        long same = codes.stream().filter(code -> code == ExitCode.OK).count();
        lines.add("@|bold %d of %d replay proofs are what a replay gives|@".formatted(same, results.size()));
        Json.Obj document = Json.object()
                .put("checks", new Json.Arr(documents))
                .put("same", same)
                .build();
        return CommandResult.of(ExitCode.worstOf(codes), document, lines);
    }

    private static Optional<String> auditor(KeyRegistry registry, Logged<AuditVerdictStatement> verdict) {
        return registry.auditorName(verdict.signer(), verdict.index());
    }

    private static ExitCode exitCode(CrossCheck.Result result) {
        return switch (result.finding()) {
            case CrossCheck.Finding.Same _ -> ExitCode.OK;
            case CrossCheck.Finding.OtherProof _, CrossCheck.Finding.OtherVerdict _ -> ExitCode.REFUSED;
            case CrossCheck.Finding.Undecided _ -> ExitCode.INCONCLUSIVE;
        };
    }

    private static String words(CrossCheck.Result result) {
        return switch (result.finding()) {
            case CrossCheck.Finding.Same _ ->
                "same proof of %s, %d chunks"
                        .formatted(
                                result.report().proof().kind().text(),
                                result.report().proof().leaves());
            case CrossCheck.Finding.OtherProof other ->
                "OTHER PROOF: signed %s, a replay gives %s: this auditor did not do this work"
                        .formatted(text(result.report().proof()), text(other.computed()));
            case CrossCheck.Finding.OtherVerdict other ->
                "OTHER VERDICT: signed %s, a replay here says %s"
                        .formatted(result.report().verdict(), other.own().verdict());
            case CrossCheck.Finding.Undecided undecided -> "not compared: " + undecided.reason();
        };
    }

    private static String text(ReplayProof proof) {
        return "%s (%s, %d chunks)".formatted(proof.root(), proof.kind().text(), proof.leaves());
    }

    private static Json.Obj document(CrossCheck.Result result, Optional<String> auditor) {
        Json.Builder out = Json.object()
                .put("logIndex", result.verdict().index())
                .put("unit", result.report().unit().text())
                .put("auditor", auditor.orElse(""))
                .put("auditorKey", result.verdict().signer().id().hex())
                .put("signedProof", proof(result.report().proof()));
        switch (result.finding()) {
            case CrossCheck.Finding.Same _ -> out.put("finding", "SAME");
            case CrossCheck.Finding.OtherProof other ->
                out.put("finding", "OTHER_PROOF").put("computedProof", proof(other.computed()));
            case CrossCheck.Finding.OtherVerdict other ->
                out.put("finding", "OTHER_VERDICT")
                        .put("ownVerdict", other.own().verdict().name());
            case CrossCheck.Finding.Undecided undecided ->
                out.put("finding", "UNDECIDED").put("reason", undecided.reason());
        }
        return out.build();
    }

    private static Json.Obj proof(ReplayProof proof) {
        return Json.object()
                .put("kind", proof.kind().text())
                .put("root", proof.root().hex())
                .put("leaves", proof.leaves())
                .build();
    }
}
