package org.bitwitness.cli.run.check;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.format.RecordingPaths;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.protocol.record.FileEntry;
import org.bitwitness.protocol.store.StoredFile;

/**
 * Every file is listed by exactly one commitment with its size and SHA-256. A commitment's own two files are not: the
 * chain and the signature hold them, and each bundle but the last is listed by the commitment after it.
 */
final class FilesCheck implements Check {
    @Override
    public String name() {
        return "files";
    }

    @Override
    public String file() {
        return "commitments";
    }

    @Override
    public String run(Subject subject, Findings findings) throws ProtocolException {
        RecordingReader reader = subject.reader();
        Map<RecordingPath, FileEntry> listed = listed(reader, findings);
        TreeSet<RecordingPath> there = new TreeSet<>(reader.files());
        for (FileEntry expected : listed.values()) {
            if (!there.contains(expected.path())) {
                findings.add(Difference.of(expected.path().text(), "", "SHA-256 " + expected.sha256(), "missing"));
                continue;
            }
            compare(reader, expected, findings);
        }
        for (RecordingPath path : there) {
            if (!listed.containsKey(path)) {
                unlisted(reader, path, findings);
            }
        }
        for (String leftover : reader.store().leftovers()) {
            findings.warn(leftover + ": left half written by a crash; it is never read and can be deleted");
        }
        return "%d files listed once, with their sizes and SHA-256".formatted(listed.size());
    }

    /** What is too long is not read: a file with holes can be longer than any disk. */
    private static void compare(RecordingReader reader, FileEntry expected, Findings findings)
            throws ProtocolException {
        String file = expected.path().text();
        long foundBytes;
        try (StoredFile stored = reader.store().open(expected.path())) {
            foundBytes = stored.size();
        }
        findings.expect(file, "size in bytes", expected.bytes(), foundBytes);
        if (foundBytes <= expected.bytes()) {
            Sha256 found = reader.store().entry(expected.path()).sha256();
            findings.expect(file, "SHA-256", expected.sha256(), found);
        }
    }

    private static Map<RecordingPath, FileEntry> listed(RecordingReader reader, Findings findings) {
        Map<RecordingPath, FileEntry> listed = new TreeMap<>();
        for (Commitment commitment : reader.commitments()) {
            for (FileEntry file : commitment.newFiles()) {
                if (listed.put(file.path(), file) != null) {
                    findings.add(Difference.of(
                            RecordingPaths.commitment(commitment.sequence()).text(),
                            "newFiles",
                            "files that no earlier commitment lists",
                            file.path() + ", which one does"));
                }
            }
        }
        return listed;
    }

    private static void unlisted(RecordingReader reader, RecordingPath path, Findings findings) {
        long last = reader.last().sequence();
        long sequence = RecordingPaths.commitmentSequence(path).orElse(Long.MAX_VALUE);
        boolean commitment = sequence <= last && path.equals(RecordingPaths.commitment(sequence));
        if (commitment || path.equals(RecordingPaths.commitmentBundle(last))) {
            return;
        }
        if (path.topFolder().equals(RecordingPaths.TELEMETRY) && !reader.last().isFinal()) {
            findings.warn(path + ": telemetry that no commitment lists yet; nothing rests on it");
            return;
        }
        findings.add(new Difference(
                path.text(),
                "",
                Optional.of("a file that a commitment lists"),
                Optional.of("a file that none lists"),
                path + ": no commitment lists this file"
                        + (reader.last().isFinal()
                                ? ""
                                : "; if the run was cut off here, train --resume clears it away")));
    }
}
