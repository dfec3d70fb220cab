package org.bitwitness.replayer;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.ReplayReport;

/** Replays in tests. */
final class Replays {
    private Replays() {}

    static ReplayReport replay(Path run, String unit, BackendId backend, int threads) throws ReplayException {
        return replay(run, unit, backend, threads, EngineFactory.STANDARD);
    }

    static ReplayReport replay(Path run, String unit, BackendId backend, int threads, EngineFactory engines)
            throws ReplayException {
        try (CommittedRun committed = CommittedRun.open(run, Optional.empty())) {
            ReplayOptions options = new ReplayOptions(backend, threads, ReplaySalt.NONE);
            return new UnitReplayer(committed, engines, options, InstantSource.system())
                    .replay(AuditUnit.parse(unit), ProgressListener.NONE);
        }
    }
}
