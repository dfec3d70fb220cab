package org.bitwitness.cli.run;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.NewFile;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.format.RecordingPaths;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.protocol.store.StoredFile;

/** A recording as one tar file: what its commitments list, and they themselves, in the order of the paths. */
final class RunTar {
    private static final int BUFFER_BYTES = 1 << 18;

    private RunTar() {}

    static CommandResult write(RecordingReader reader, Path out) throws CommandFailure, ProtocolException, IOException {
        TreeSet<RecordingPath> paths = new TreeSet<>();
        for (Commitment commitment : reader.commitments()) {
            commitment.newFiles().forEach(file -> paths.add(file.path()));
            paths.add(RecordingPaths.commitment(commitment.sequence()));
            paths.add(RecordingPaths.commitmentBundle(commitment.sequence()));
        }
        NewFile.write(out, to -> archive(reader, paths, to));
        return CommandResult.ok(
                Map.of("file", out.toString(), "files", paths.size(), "steps", reader.stepCount()),
                "%d files of %d steps written to %s".formatted(paths.size(), reader.stepCount(), out));
    }

    private static void archive(RecordingReader reader, SortedSet<RecordingPath> paths, OutputStream to)
            throws IOException, ProtocolException {
        BufferedOutputStream buffered = new BufferedOutputStream(to, BUFFER_BYTES);
        TarArchiveOutputStream tar = new TarArchiveOutputStream(buffered, StandardCharsets.UTF_8.name());
        tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
        tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
        for (RecordingPath path : paths) {
            try (StoredFile stored = reader.store().open(path)) {
                add(tar, path, stored);
            }
        }
        tar.finish();
        // The tar's own flush stops at its blocks.
        buffered.flush();
    }

    /** No time and no owner: two exports of one recording are equal. */
    private static void add(TarArchiveOutputStream tar, RecordingPath path, StoredFile stored)
            throws IOException, ProtocolException {
        TarArchiveEntry entry = new TarArchiveEntry(path.text());
        entry.setSize(stored.size());
        entry.setModTime(FileTime.fromMillis(0));
        entry.setIds(0, 0);
        tar.putArchiveEntry(entry);
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
        for (long at = 0; at < stored.size(); at += buffer.limit()) {
            buffer.clear().limit((int) Math.min(buffer.capacity(), stored.size() - at));
            stored.read(at, buffer);
            tar.write(buffer.array(), 0, buffer.limit());
        }
        tar.closeArchiveEntry();
    }
}
