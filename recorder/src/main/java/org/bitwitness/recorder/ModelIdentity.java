package org.bitwitness.recorder;

import java.nio.file.Path;
import org.bitwitness.protocol.ReleasedRoot;

/** Computes the identity of a released model's folder, by the rules of model signatures. */
@FunctionalInterface
public interface ModelIdentity {
    /** Root over every file of the folder. */
    ReleasedRoot of(Path releasedFolder) throws RecorderException;
}
