package org.bitwitness.cli.replay;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bitwitness.attestation.keys.KeyFolder;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.cli.replay.LimitedReplay.Replayed;
import org.bitwitness.cli.support.BackendOptions;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.cli.support.LimitedChild;
import org.bitwitness.cli.support.MemoryOptions;
import org.bitwitness.cli.support.NewFile;
import org.bitwitness.cli.support.Passphrases;
import org.bitwitness.cli.support.ProgressBar;
import org.bitwitness.cli.support.RuntimeNeed;
import org.bitwitness.cli.support.Sizes;
import org.bitwitness.cli.support.VersionProvider;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.CommitmentDigest;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.format.ReplayReportJson;
import org.bitwitness.replayer.CommittedRun;
import org.bitwitness.replayer.EngineFactory;
import org.bitwitness.replayer.KeepPlace;
import org.bitwitness.replayer.Manner;
import org.bitwitness.replayer.MemoryPlanner;
import org.bitwitness.replayer.ProgressListener;
import org.bitwitness.replayer.ReplayException;
import org.bitwitness.replayer.ReplayOptions;
import org.bitwitness.replayer.ReplaySalt;
import org.bitwitness.replayer.UnitReplayer;
import org.bitwitness.scheduler.Keeping;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bitwitness replay}: one unit of a recording, computed again and compared bit for bit. */
@Command(
        name = "replay",
        description = {
            "Replay one unit of a recording and compare the bits.",
            "Exit 0: reproduced; 2: diverged; 3: inconclusive; 1: nothing was judged."
        },
        footerHeading = "%nExample:%n",
        footer = "  bitwitness replay demo-out/run --unit \"STEP(17)\"")
public final class ReplayCommand extends BaseCommand {
    @Parameters(paramLabel = "RUN", description = "Folder of the recording.")
    private Path run = Path.of("");

    @Option(
            names = "--unit",
            required = true,
            paramLabel = "U",
            description = {
                "INIT, DATA(shard-00000), GRADIENT(17,2), REDUCE(17),",
                "UPDATE(17), STEP(17), SEGMENT(10,20) or FINAL."
            })
    private String unit = "";

    @Option(
            names = "--commitment",
            paramLabel = "DIGEST",
            description = "Compare with what this commitment of the run says. Default: its last one.")
    private Optional<String> commitment = Optional.empty();

    @Option(
            names = "--report",
            paramLabel = "FILE",
            description = "Write the report as JSON to this new file, in the spelling that verdicts embed.")
    private Optional<Path> report = Optional.empty();

    @Option(
            names = "--keep",
            paramLabel = "DIR",
            description = {
                "Keep here how far the replay is: killed, the same command goes on there. Needs --key.",
                "What is kept goes away when the replay has ended."
            })
    private Optional<Path> keep = Optional.empty();

    @Option(
            names = "--key",
            paramLabel = "DIR",
            description = "Key folder: only what this key kept is believed. The report is not signed.")
    private Optional<Path> key = Optional.empty();

    // Where this process kept how far it was; gone when the report is there.
    private Optional<Path> kept = Optional.empty();

    @Mixin
    private BackendOptions backend = new BackendOptions();

    @Mixin
    private MemoryOptions memory = new MemoryOptions();

    @Override
    protected Set<RuntimeNeed> needs() {
        return Set.of(RuntimeNeed.ARROW, RuntimeNeed.VECTOR);
    }

    @Override
    protected CommandResult execute(CommandIo io) throws Exception {
        AuditUnit parsed = CommandFailure.typed(() -> AuditUnit.parse(unit));
        Optional<CommitmentDigest> under = commitment.isEmpty()
                ? Optional.empty()
                : Optional.of(CommandFailure.typed(() -> new CommitmentDigest(Sha256.ofHex(commitment.get()))));
        if (report.isPresent()) {
            requireRoomFor(report.get());
        }
        var _ = backend.id(); // wrong usage is said before a recording is read
        return replay(io, parsed, under);
    }

    /** Before hours of replay, not after them. */
    private static void requireRoomFor(Path file) throws CommandFailure {
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            throw CommandFailure.usage(
                    "--report %s is there already, and a report is never overwritten: name a new file".formatted(file));
        }
        Path folder = Optional.ofNullable(file.toAbsolutePath().getParent()).orElse(Path.of("/"));
        if (!Files.isDirectory(folder) || !Files.isWritable(folder)) {
            throw CommandFailure.usage("--report %s: the folder %s is not there or cannot be written: make it first"
                    .formatted(file, folder));
        }
    }

    private Optional<KeepPlace> place(CommittedRun recording, AuditUnit parsed) throws CommandFailure {
        if (keep.isEmpty() && key.isEmpty()) {
            return Optional.empty();
        }
        if (keep.isEmpty() || key.isEmpty()) {
            throw CommandFailure.usage("--keep and --key go together: kept work is believed only with the key that"
                    + " made it; `bitwitness key new --out DIR` makes one");
        }
        SigningKey signing = CommandFailure.own(() -> new KeyFolder(key.get()).signingKey(Passphrases.ask()));
        Keeping keeping = new Keeping(keep.get(), VersionProvider.version(), KeepPlace.USUALLY);
        return Optional.of(keeping.place(signing, recording.commitment(), parsed, Optional.empty()));
    }

    /** Progress on the bar, words above it. */
    private record Talk(CommandIo io, ProgressBar bar) implements ProgressListener {
        @Override
        public void progress(long done, long total, String note) {
            bar.update(done, total, note);
        }

        @Override
        public void note(String words) {
            io.note(words);
        }
    }

    private CommandResult replay(CommandIo io, AuditUnit parsed, Optional<CommitmentDigest> under) throws Exception {
        try (CommittedRun recording = CommittedRun.open(run, under)) {
            Replayed replayed;
            if (memory.bytes().isEmpty()) {
                replayed = new Replayed(here(io, recording, parsed, fitting(io, recording, parsed)), Optional.empty());
            } else {
                memory.requireOnProcessor(backend.id());
                LimitedReplay limited = new LimitedReplay(recording, parsed, memory, backend, keep.isPresent());
                replayed = LimitedChild.within().isPresent()
                        ? limited.inChild(io, manner -> here(io, recording, parsed, manner))
                        : limited.inParent(io, command(recording, parsed));
            }
            if (report.isPresent()) {
                byte[] bytes = ReplayReportJson.write(replayed.report()).getBytes(StandardCharsets.UTF_8);
                NewFile.write(report.get(), out -> out.write(bytes));
            }
            if (kept.isPresent()) {
                Files.deleteIfExists(kept.get());
            }
            ReplayText.Options options = new ReplayText.Options(backend.threads(), backend.words() + memory.words());
            List<String> lines = new ArrayList<>(ReplayText.lines(replayed.report(), recording, run, options));
            replayed.memory().ifPresent(found -> lines.add(LimitedReplay.line(found)));
            return CommandResult.of(ExitCode.of(replayed.report().verdict()), replayed.document(), lines);
        }
    }

    /** What fits into the heap that this JVM has; where nothing seems to, what needs least is tried. */
    private Manner fitting(CommandIo io, CommittedRun recording, AuditUnit parsed) throws CommandFailure {
        MemoryPlanner planner = new MemoryPlanner(recording, backend.id(), backend.threads(), keep.isPresent());
        Manner manner = planner.forHeap(parsed, Runtime.getRuntime().maxMemory());
        if (manner.spills() || manner.economy().recompute()) {
            io.say("memory     a heap of %s, so %s"
                    .formatted(Sizes.mebibytes(Runtime.getRuntime().maxMemory()), manner.text()));
        }
        return manner;
    }

    private ReplayReport here(CommandIo io, CommittedRun recording, AuditUnit parsed, Manner manner)
            throws CommandFailure, ReplayException {
        Optional<KeepPlace> place = place(recording, parsed);
        kept = place.map(KeepPlace::file);
        ReplayOptions options = new ReplayOptions(backend.id(), backend.threads(), ReplaySalt.NONE, place, manner);
        UnitReplayer replayer = new UnitReplayer(recording, EngineFactory.STANDARD, options, InstantSource.system());
        try (ProgressBar bar = io.progress("replay " + parsed.text(), 0)) {
            return replayer.replay(parsed, new Talk(io, bar));
        }
    }

    /** The same replay, for a process of its own; the report is written here. */
    private List<String> command(CommittedRun recording, AuditUnit parsed) throws CommandFailure {
        List<String> words = new ArrayList<>(List.of("replay", run.toString(), "--json", "--unit", parsed.text()));
        words.addAll(List.of("--commitment", recording.commitment().digest().hex()));
        words.addAll(List.of((backend.words() + memory.words()).split(" ")));
        keep.ifPresent(folder -> words.addAll(List.of("--keep", folder.toString())));
        key.ifPresent(folder -> words.addAll(List.of("--key", folder.toString())));
        return words;
    }
}
