package org.bitwitness.replayer;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.bytes.CanonicalDecoder;
import org.bitwitness.protocol.bytes.CanonicalEncoder;
import org.bitwitness.protocol.format.ReplayReportJson;

/**
 * What one replay keeps so that it goes on after it was killed: how far its walk is, and in the end its report. A file
 * that is not exactly of this replay is thrown away, with a word; nothing in it is believed that the secret or a
 * committed root does not vouch for.
 */
final class Kept {
    private static final String REPORT = "kept-report";
    private static final int MAX_REPORT_BYTES = 1 << 19;
    /** A write may take this part of the time between two. */
    private static final int SHARE = 20;

    private final CommittedRun run;
    private final AuditUnit unit;
    private final Sha256 binding;
    private final Optional<KeptFile> file;
    private final Duration every;
    private final ProgressListener listener;
    private final Optional<KeptFile.Contents> found;
    private long dueNanos;

    private Kept(
            CommittedRun run, AuditUnit unit, Sha256 binding, Optional<KeepPlace> place, ProgressListener listener) {
        this.run = run;
        this.unit = unit;
        this.binding = binding;
        this.file = place.map(p -> new KeptFile(p.file(), p.secret()));
        this.every = place.map(KeepPlace::every).orElse(Duration.ZERO);
        this.listener = listener;
        this.dueNanos = System.nanoTime() + every.toNanos();
        this.found = read();
    }

    /**
     * What an earlier process kept of this very replay.
     *
     * @param selfTestAndEnvironment what the backend computes on this machine, and what the machine is
     */
    static Kept of(
            CommittedRun run,
            AuditUnit unit,
            ReplayOptions options,
            List<Sha256> selfTestAndEnvironment,
            ProgressListener listener) {
        CanonicalEncoder binding = CanonicalEncoder.of("kept-binding")
                .digest(run.commitment().runId().digest())
                .digest(run.commitment().digest().digest())
                .digest(options.salt().of(unit))
                .text(unit.text())
                .text(run.descriptor().profile().text())
                .text(options.backend().text())
                .text(options.keep().map(KeepPlace::tool).orElse(""));
        selfTestAndEnvironment.forEach(binding::digest);
        return new Kept(run, unit, binding.hash(), options.keep(), listener);
    }

    private Optional<KeptFile.Contents> read() {
        if (file.isEmpty()) {
            return Optional.empty();
        }
        try {
            return file.get().read(binding);
        } catch (ProtocolException e) {
            discard(String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    /** The report of a replay that came to its end. */
    Optional<ReplayReport> report() {
        if (found.isEmpty() || isWalk(found.get())) {
            return Optional.empty();
        }
        try {
            CanonicalDecoder in = CanonicalDecoder.open(found.get().body(), REPORT);
            ReplayReport report = ReplayReportJson.read(in.text("report", MAX_REPORT_BYTES));
            in.end();
            if (!report.unit().equals(unit) || report.verdict() == Verdict.INCONCLUSIVE) {
                throw ProtocolException.malformed(
                        "it is a report about %s", report.unit().text());
            }
            listener.note("%s was replayed before this process began; its kept report is used".formatted(unit.text()));
            return Optional.of(report);
        } catch (ProtocolException e) {
            discard(String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    /** How far the walk came, with a state that hashes to its committed root. */
    Optional<Resumed> walk(long firstState, long lastState) throws StoreDamage {
        if (found.isEmpty() || !isWalk(found.get())) {
            return Optional.empty();
        }
        try {
            KeptWalk walk = KeptWalk.decode(found.get().body());
            long index = walk.scalars().stateIndex().value();
            if (index < firstState || index > lastState) {
                throw ProtocolException.malformed(
                        "it stands at state %d, which is not between %d and %d", index, firstState, lastState);
            }
            ParameterManifest manifest = ParameterManifest.of(run.facts().model());
            HostState state = HostState.zero(
                    manifest, run.facts().optimizer(), walk.scalars().updateCount());
            file.orElseThrow().readTensors(found.get(), run.facts().tensors(state));
            StateRoot root = run.facts().stateRoot(state, walk.scalars());
            StateRoot committed = run.committedRoot(walk.scalars().stateIndex());
            if (!root.equals(committed)) {
                throw ProtocolException.malformed("its state %d should have root %s, has %s", index, committed, root);
            }
            listener.note("%s goes on at state %d, where an earlier process stood".formatted(unit.text(), index));
            return Optional.of(new Resumed(walk, new LoadedState(state, walk.scalars(), root)));
        } catch (ProtocolException | IllegalArgumentException e) {
            discard(String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    /** A kept walk and the state it stood at. */
    record Resumed(KeptWalk walk, LoadedState at) {}

    /** Whether enough time has gone by to write again. */
    boolean isDue() {
        return file.isPresent() && System.nanoTime() - dueNanos >= 0;
    }

    /** Keeps where a walk stands. */
    void keep(KeptWalk walk, HostState at) {
        write(walk.toBytes(), run.facts().tensors(at));
    }

    /** Keeps the end of a replay; one that decided nothing is worth another try. */
    void finished(ReplayReport report) {
        if (report.verdict() != Verdict.INCONCLUSIVE) {
            write(
                    CanonicalEncoder.of(REPORT)
                            .text(ReplayReportJson.write(report))
                            .toBytes(),
                    List.of());
        }
    }

    private static boolean isWalk(KeptFile.Contents contents) {
        try {
            CanonicalDecoder.open(contents.body(), KeptWalk.DOMAIN);
            return true;
        } catch (ProtocolException e) {
            return false;
        }
    }

    private void write(byte[] body, List<float[]> tensors) {
        if (file.isEmpty()) {
            return;
        }
        long began = System.nanoTime();
        try {
            file.get().write(binding, body, tensors);
        } catch (IOException e) {
            listener.note("%s cannot be kept (%s): killed now, the replay begins again"
                    .formatted(file.get().path(), e));
        }
        long now = System.nanoTime();
        dueNanos = now + (every.isZero() ? 0 : Math.max(every.toNanos(), SHARE * (now - began)));
    }

    private void discard(String reason) {
        KeptFile kept = file.orElseThrow();
        listener.note("kept work %s is not used: %s; the replay begins again".formatted(kept.path(), reason));
        try {
            kept.remove();
        } catch (IOException e) {
            listener.note("%s cannot be deleted either: %s".formatted(kept.path(), e));
        }
    }
}
