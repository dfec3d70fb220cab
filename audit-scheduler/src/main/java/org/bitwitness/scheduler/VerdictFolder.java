package org.bitwitness.scheduler;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.bitwitness.attestation.bundle.SigstoreBundle;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.record.Commitment;

/**
 * Where an auditor keeps bundles of what was logged, one file each, whole or not at all. File names say what is inside:
 * {@code 3f2a90bc-6-STEP-17-81d0c4e2.sigstore.json} is run, commitment, unit and auditor's key.
 */
final class VerdictFolder {
    private static final int SHORT = 8;
    private static final String SUFFIX = ".sigstore.json";

    private final Path folder;
    private final VerifyingKey auditor;

    VerdictFolder(Path folder, VerifyingKey auditor) {
        this.folder = folder;
        this.auditor = auditor;
    }

    Path writeVerdict(Commitment commitment, AuditUnit unit, SigstoreBundle bundle) throws SchedulerException {
        return write(name(commitment, unit, auditor) + SUFFIX, bundle);
    }

    Path writeSummary(Commitment commitment, AuditUnit unit, SigstoreBundle bundle) throws SchedulerException {
        return write(name(commitment, unit, auditor) + ".vsa" + SUFFIX, bundle);
    }

    Path writeChallenge(Commitment commitment, SigstoreBundle bundle) throws SchedulerException {
        return write(name(commitment, "challenge", auditor) + SUFFIX, bundle);
    }

    /** What a file about one unit is called, without what says what it is. */
    static String name(Commitment commitment, AuditUnit unit, VerifyingKey auditor) {
        return name(commitment, words(unit), auditor);
    }

    private static String name(Commitment commitment, String what, VerifyingKey auditor) {
        String run = commitment.runId().hex().substring(0, SHORT);
        String key = auditor.id().hex().substring(0, SHORT);
        return "%s-%d-%s-%s".formatted(run, commitment.sequence(), what, key);
    }

    /** {@code GRADIENT(17,2)} as {@code GRADIENT-17-2}. */
    private static String words(AuditUnit unit) {
        return unit.text().replace(")", "").replaceAll("[(,]", "-");
    }

    private Path write(String name, SigstoreBundle bundle) throws SchedulerException {
        Path file = folder.resolve(name);
        Path partial = folder.resolve("." + name + ".partial");
        try {
            Files.createDirectories(folder);
            Files.write(partial, bundle.toBytes());
            Files.move(partial, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            return file;
        } catch (IOException e) {
            throw new SchedulerException(
                    "the verdict is in the log, but %s cannot be written (%s): give another --out".formatted(file, e),
                    e);
        }
    }
}
