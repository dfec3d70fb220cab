package org.bitwitness.cli.run.fetch;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.format.RecordingPaths;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.record.FileEntry;

/**
 * Copies files of a recording into a folder. The commitments come first and say which files there are, how long, and with
 * which SHA-256; a file is in the folder under its name only when it has exactly those bytes. A transfer that breaks is
 * tried again from where it stopped, in this process or the next.
 */
public final class Fetch {
    private static final int MAX_TRIES = 5;
    private static final String PARTIAL = ".partial-";

    private final RecordingSource source;
    private final Path out;
    private final Pause pause;
    private final Consumer<String> note;
    private long copiedBytes;
    private int copied;
    private int present;

    /** Waits between two tries. */
    @FunctionalInterface
    public interface Pause {
        void before(int nextTry) throws InterruptedException;
    }

    /** What was done. */
    public record Result(int copied, int present, long copiedBytes, int listed) {}

    public Fetch(RecordingSource source, Path out, Pause pause, Consumer<String> note) {
        this.source = source;
        this.out = out;
        this.pause = pause;
        this.note = note;
    }

    /** @param units to copy for; all files when empty */
    public Result run(Optional<Collection<AuditUnit>> units)
            throws CommandFailure, IOException, ProtocolException, DatasetException {
        Files.createDirectories(out);
        Map<RecordingPath, FileEntry> listed =
                CommitmentChain.read(source, this::write).listed();
        for (FileEntry file : listed.values()) {
            if (units.isEmpty() || NeededFiles.isFrame(file.path())) {
                copy(file);
            }
        }
        if (units.isPresent()) {
            RecordingReader reader = RecordingReader.open(out);
            reader.checkSteps();
            Set<RecordingPath> needed =
                    new NeededFiles(reader, listed.keySet()).of(units.get(), out.resolve(RecordingPaths.DATASET));
            for (FileEntry file : listed.values()) {
                if (needed.contains(file.path())) {
                    copy(file);
                }
            }
        }
        return new Result(copied, present, copiedBytes, listed.size());
    }

    private void write(RecordingPath path, byte[] bytes) throws IOException {
        Path partial = partial(path);
        Files.write(partial, bytes);
        Files.move(
                partial, out.resolve(path.text()), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private void copy(FileEntry file) throws IOException, CommandFailure {
        Path target = out.resolve(file.path().text());
        if (Files.isRegularFile(target, LinkOption.NOFOLLOW_LINKS)
                && Hashing.file(target).equals(file.sha256())) {
            present++;
            return;
        }
        Path partial = partial(file.path());
        transfer(file, partial);
        if (Files.size(partial) != file.bytes() || !Hashing.file(partial).equals(file.sha256())) {
            String found = "%d bytes with SHA-256 %s".formatted(Files.size(partial), Hashing.file(partial));
            Files.delete(partial);
            throw CommandFailure.refused("%s: should have %d bytes with SHA-256 %s, which is committed; %s has %s"
                    .formatted(file.path(), file.bytes(), file.sha256(), source.describe(), found));
        }
        Files.move(partial, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        copied++;
    }

    /** Appends until the file has its length; what is there from an earlier try is kept. */
    private void transfer(FileEntry file, Path partial) throws IOException {
        for (int attempt = 1; ; attempt++) {
            long offset = Files.exists(partial) ? Files.size(partial) : 0;
            if (offset > file.bytes()) {
                Files.delete(partial);
                offset = 0;
            }
            try (InputStream in = source.open(file.path(), offset);
                    OutputStream to =
                            Files.newOutputStream(partial, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
                copiedBytes += append(in, to, file.bytes() - offset);
                return;
            } catch (IOException e) {
                if (attempt == MAX_TRIES) {
                    throw new IOException(
                            "%s: gave up after %d tries at byte %d of %d: %s; the same command goes on from there"
                                    .formatted(file.path(), MAX_TRIES, offset, file.bytes(), e.getMessage()),
                            e);
                }
                note.accept("%s: %s; trying again".formatted(file.path(), e.getMessage()));
                pause(attempt + 1);
            }
        }
    }

    /** Never more than a byte past the length that is committed: that is enough to see that there is more. */
    private static long append(InputStream in, OutputStream out, long length) throws IOException {
        byte[] buffer = new byte[1 << 16];
        long done = 0;
        while (done <= length) {
            int n = in.read(buffer, 0, (int) Math.min(buffer.length, length + 1 - done));
            if (n < 0) {
                break;
            }
            out.write(buffer, 0, n);
            done += n;
        }
        return done;
    }

    private void pause(int nextTry) throws IOException {
        try {
            pause.before(nextTry);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private Path partial(RecordingPath path) throws IOException {
        Path target = out.resolve(path.text());
        Path folder = Optional.ofNullable(target.getParent()).orElse(out);
        Files.createDirectories(folder);
        return folder.resolve(PARTIAL + target.getFileName());
    }
}
