package org.bitwitness.cli.run;

import java.nio.file.Path;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.format.RecordingReader;

/** Opens recordings for commands that read them. */
final class Recordings {
    private Recordings() {}

    /** The recording in a folder; damaged bytes exit 2, a folder that is none exits 1. */
    static RecordingReader open(Path folder) throws CommandFailure, ProtocolException {
        try {
            return RecordingReader.open(folder);
        } catch (ProtocolException e) {
            throw failure(e);
        }
    }

    /** The same problem with the exit code that it means; what only the machine is to blame for is thrown on. */
    static CommandFailure failure(ProtocolException e) throws ProtocolException {
        if (e.blamesTheBytes()) {
            return CommandFailure.refused(e.getMessage());
        }
        throw e;
    }
}
