package org.bitwitness.cli.audit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bitwitness.attestation.keys.KeyFolder;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.attestation.log.LogReader;
import org.bitwitness.attestation.log.LogSources;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.verify.LogSurvey;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.cli.support.GpuOptions;
import org.bitwitness.cli.support.LimitedChild;
import org.bitwitness.cli.support.MemoryOptions;
import org.bitwitness.cli.support.Passphrases;
import org.bitwitness.cli.support.RuntimeNeed;
import org.bitwitness.cli.support.VersionProvider;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.ReplayReportJson;
import org.bitwitness.replayer.CommittedRun;
import org.bitwitness.replayer.KeepPlace;
import org.bitwitness.scheduler.AuditListener;
import org.bitwitness.scheduler.AuditResult;
import org.bitwitness.scheduler.AuditTarget;
import org.bitwitness.scheduler.AuditWorker;
import org.bitwitness.scheduler.Keeping;
import org.bitwitness.scheduler.LoggedVerdict;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bitwitness audit work}: one auditor answers one commitment. */
@Command(
        name = "work",
        description = {
            "Draw units, replay them, sign and log the verdicts.",
            "Killed half-way, the same command goes on: what was drawn and answered stands in the log, and what was",
            "replayed besides is kept under OUT/.kept, where only what this key made is believed.",
            "Exit 0: all reproduced; 2: something diverged; 3: something could not be decided; 1: nothing was judged."
        },
        footerHeading = "%nExample:%n",
        footer = "  bitwitness audit work --run demo-out/run --log http://127.0.0.1:8090"
                + " --key my-key --trust demo-out/trust --out my-verdicts")
final class AuditWork extends BaseCommand {
    @Option(names = "--run", required = true, paramLabel = "RUN", description = "Folder of the recording.")
    private Path run = Path.of("");

    @Option(names = "--log", required = true, paramLabel = "URL|DIR", description = "The log, at its server.")
    private String log = "";

    @Option(names = "--key", required = true, paramLabel = "DIR", description = "The auditor's key folder.")
    private Path key = Path.of("");

    @Option(names = "--trust", required = true, paramLabel = "DIR", description = "Folder with policy.txt and keys.")
    private Path trust = Path.of("");

    @Option(names = "--out", required = true, paramLabel = "DIR", description = "Where bundles are written.")
    private Path out = Path.of("");

    @Option(names = "--units", paramLabel = "N", description = "Answer at most N of the drawn units now. Default: all.")
    private int units = Integer.MAX_VALUE;

    @Option(
            names = "--spot",
            paramLabel = "U",
            description = "Replay this unit instead, as a spot check that counts in no coverage. May be repeated.")
    private List<String> spots = new ArrayList<>();

    @Mixin
    private BeaconOptions beacon = new BeaconOptions();

    @Option(names = "--threads", paramLabel = "N", description = "Units replayed at the same time. Default: all cores.")
    private int threads = Runtime.getRuntime().availableProcessors();

    @Option(
            names = "--backend",
            paramLabel = "B",
            description = "Who computes: vector (default), reference, cuda or ptx-emulator.")
    private String backend = BackendId.VECTOR.text();

    @Mixin
    private GpuOptions gpu = new GpuOptions();

    @Mixin
    private MemoryOptions memory = new MemoryOptions();

    @Override
    protected Set<RuntimeNeed> needs() {
        return Set.of(RuntimeNeed.ARROW, RuntimeNeed.SPARK, RuntimeNeed.VECTOR);
    }

    @Override
    protected CommandResult execute(CommandIo io) throws Exception {
        if (units < 1 || threads < 1) {
            throw CommandFailure.usage("--units and --threads should be at least 1");
        }
        List<AuditUnit> chosen = new ArrayList<>();
        for (String spot : spots) {
            chosen.add(CommandFailure.typed(() -> AuditUnit.parse(spot)));
        }
        BackendId id = CommandFailure.typed(() -> BackendId.parse(backend));
        gpu.choose(id);
        return work(io, chosen, id);
    }

    private CommandResult work(CommandIo io, List<AuditUnit> chosen, BackendId id) throws Exception {
        TrustPolicy policy = CommandFailure.own(() -> TrustPolicy.load(trust));
        KeyFolder keys = new KeyFolder(key);
        CommandFailure.own(keys::warnings).forEach(warning -> io.note("warning: " + warning));
        LogSurvey survey = LogSurvey.read(LogReader.open(LogSources.at(log), policy.witnesses()), policy);
        VerifyingKey own = CommandFailure.own(keys::verifyingKey);
        if (survey.registry().auditorName(own, survey.log().size()).isEmpty()) {
            io.note(
                    "warning: neither the trust folder nor the log names this key as an auditor's now; whoever trusts the"
                            + " same counts no verdict by it");
        }
        int slots = threads;
        if (memory.bytes().isPresent()) {
            memory.requireOnProcessor(id);
            AuditTarget target = AuditTarget.find(run, survey);
            List<AuditUnit> possible = chosen.isEmpty() ? target.population().oneOfEachKind() : chosen;
            if (possible.isEmpty()) {
                throw CommandFailure.usage("there is no unit to draw under this commitment yet");
            }
            try (CommittedRun recording =
                    CommittedRun.open(run, Optional.of(target.commitment().digest()))) {
                AuditMemory limits = new AuditMemory(recording, possible, id);
                if (LimitedChild.within().isEmpty()) {
                    return limited(io, limits);
                }
                slots = limits.divide(threads, LimitedChild.within().orElseThrow(), LimitedChild.parentBytes())
                        .slots();
            }
        }
        AuditWorker.Setting setting = new AuditWorker.Setting(
                policy,
                LogSources.at(log),
                AuditInputs.writable(log, policy),
                CommandFailure.own(() -> keys.signingKey(Passphrases.ask())),
                out,
                id,
                slots,
                beacon.rounds(),
                Optional.of(new Keeping(out.resolve(".kept"), VersionProvider.version(), KeepPlace.USUALLY)));
        if (beacon.isNamed()) {
            beacon.require(AuditTarget.find(run, survey).policy().beaconMode());
        }
        AuditWorker worker = new AuditWorker(setting, new Talk(io));
        AuditResult result = chosen.isEmpty() ? worker.work(run, units) : worker.spotCheck(run, chosen);
        Json.Obj document = document(result);
        return CommandResult.of(
                exitCode(result),
                LimitedChild.within().isPresent()
                        ? AuditMemory.withPeak(document, "peakResidentBytes", false)
                        : document,
                lines(result));
    }

    /** The same audit by another process, whose words have been passed on. */
    private CommandResult limited(CommandIo io, AuditMemory limits) throws Exception {
        List<String> words =
                new ArrayList<>(spec().root().commandLine().getParseResult().originalArgs());
        if (!words.contains("--json")) {
            words.add("--json");
        }
        LimitedChild.Ended ended = limits.audit(threads, memory.bytes().orElseThrow(), words, io);
        List<String> lines = new ArrayList<>();
        if (ended.document().members().get("verdicts") instanceof Json.Arr verdicts) {
            lines.add("%d units answered, see above".formatted(verdicts.items().size()));
        }
        AuditMemory.line(ended.document()).ifPresent(lines::add);
        return CommandResult.of(ExitCode.ofProcess(ended.code()), ended.document(), lines);
    }

    /** Everything answered earlier is in the log; nothing left to do is a success. */
    private static ExitCode exitCode(AuditResult result) {
        List<ExitCode> codes = new ArrayList<>();
        codes.add(ExitCode.OK);
        result.verdicts()
                .forEach(verdict -> codes.add(ExitCode.of(verdict.report().verdict())));
        return ExitCode.worstOf(codes);
    }

    private static Json.Obj document(AuditResult result) {
        Json.Builder out = Json.object();
        result.challengeLogIndex().ifPresent(index -> out.put("challengeLogIndex", index));
        List<Json> verdicts = new ArrayList<>();
        for (LoggedVerdict verdict : result.verdicts()) {
            verdicts.add(Json.object()
                    .put("drawn", verdict.drawn())
                    .put("logIndex", verdict.logIndex())
                    .put("file", verdict.file().toString())
                    .put("report", ReplayReportJson.toJson(verdict.report()))
                    .build());
        }
        return out.put(
                        "units",
                        Json.texts(result.units().stream().map(AuditUnit::text).toList()))
                .put(
                        "answeredBefore",
                        Json.texts(result.answeredBefore().stream()
                                .map(AuditUnit::text)
                                .toList()))
                .put("verdicts", new Json.Arr(verdicts))
                .build();
    }

    private static List<String> lines(AuditResult result) {
        long reproduced = result.verdicts().stream()
                .filter(v -> ExitCode.of(v.report().verdict()) == ExitCode.OK)
                .count();
        List<String> lines = new ArrayList<>();
        lines.add("%d of %d units reproduced%s"
                .formatted(
                        reproduced,
                        result.verdicts().size(),
                        result.answeredBefore().isEmpty()
                                ? ""
                                : "; answered before: "
                                        + result.answeredBefore().size()));
        return lines;
    }

    /** Says what happens while it happens. */
    private record Talk(CommandIo io) implements AuditListener {
        @Override
        public void challenged(long logIndex, List<AuditUnit> units, boolean resumed) {
            io.say("challenge  %s, log entry %d: %s"
                    .formatted(
                            resumed ? "found" : "logged",
                            logIndex,
                            String.join(" ", units.stream().map(AuditUnit::text).toList())));
        }

        @Override
        public void replaying(int units) {
            io.note("replaying %d units".formatted(units));
        }

        @Override
        public void note(String words) {
            io.note(words);
        }

        @Override
        public void judged(LoggedVerdict verdict, int done, int total) {
            String where = verdict.report()
                    .firstDifference()
                    .map(difference -> ": " + difference.place())
                    .orElse(verdict.report()
                            .reason()
                            .map(reason -> ": " + reason)
                            .orElse(""));
            io.say("verdict    %s %s%s (log entry %d, %d of %d%s)"
                    .formatted(
                            verdict.report().unit().text(),
                            verdict.report().verdict(),
                            where,
                            verdict.logIndex(),
                            done,
                            total,
                            verdict.drawn() ? "" : ", spot check"));
        }
    }
}
