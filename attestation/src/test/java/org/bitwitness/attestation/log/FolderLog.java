package org.bitwitness.attestation.log;

import java.nio.file.Path;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.dsse.DsseEnvelope;
import org.bitwitness.attestation.keys.VerifyingKey;

/** Logs for tests of other packages. */
public final class FolderLog {
    private FolderLog() {}

    /** The receipt of a log that no witness watches. */
    public static LogReceipt unwitnessed(Path folder, DsseEnvelope envelope, VerifyingKey key)
            throws AttestationException {
        try (LocalTileLog log = LocalTileLog.open(folder, LogTestKit.unwitnessedSettings())) {
            return log.append(envelope, key);
        }
    }
}
