package org.bitwitness.recorder.train;

import java.io.IOException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.WorkerId;

/** Starts workers. Each connects to the coordinator's port on the loopback interface and shows the token. */
@FunctionalInterface
public interface WorkerLauncher {
    /**
     * Starts one worker.
     *
     * @param port of the coordinator on the loopback interface
     * @param token the coordinator's secret; a process gets it through its standard input, never on its command line
     */
    WorkerProcess launch(WorkerId worker, int port, Sha256 token) throws IOException;
}
