package org.bitwitness.cli.dispute;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bitwitness.kernels.trace.PlannedEntry;
import org.bitwitness.kernels.trace.TraceEntry;
import org.bitwitness.kernels.trace.WorkerTrace;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.replayer.dispute.DisputeException;
import org.bitwitness.replayer.dispute.DisputeGame;

/**
 * The auditor's own trace, kept so that it replays once for the opening and once for the inputs, and not for every message:
 * the output roots of all entries, 32 bytes each, one after the other. It is used only when it hashes to the root that
 * the dispute was opened with; no reader of the dispute needs it.
 */
record TraceMemo(Path file) {
    private static final int MAX_BYTES = 1 << 28;

    void write(WorkerTrace trace) throws IOException {
        List<Sha256> roots = trace.entries().stream()
                .flatMap(entry -> entry.outputRoots().stream())
                .toList();
        byte[] bytes = new byte[roots.size() * Sha256.BYTES];
        for (int i = 0; i < roots.size(); i++) {
            System.arraycopy(roots.get(i).bytes(), 0, bytes, i * Sha256.BYTES, Sha256.BYTES);
        }
        DisputeFolder.write(file, bytes);
    }

    /** The trace, if it is there and is the one that this dispute was opened with. */
    Optional<WorkerTrace> read(DisputeGame game) throws IOException, DisputeException {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.empty();
        }
        byte[] bytes = DisputeFolder.read(file, MAX_BYTES);
        List<TraceEntry> entries = new ArrayList<>();
        int at = 0;
        for (PlannedEntry planned : game.unit().entries()) {
            List<Sha256> roots = new ArrayList<>();
            for (int o = 0; o < planned.outputs().size(); o++) {
                if (at + Sha256.BYTES > bytes.length) {
                    return Optional.empty();
                }
                roots.add(Sha256.read(ByteBuffer.wrap(bytes, at, Sha256.BYTES)));
                at += Sha256.BYTES;
            }
            entries.add(new TraceEntry(planned, game.unit().position(), roots));
        }
        WorkerTrace trace = new WorkerTrace(entries);
        return at == bytes.length
                        && trace.traceRoot().digest().equals(game.open().claim().traceRoot())
                ? Optional.of(trace)
                : Optional.empty();
    }
}
