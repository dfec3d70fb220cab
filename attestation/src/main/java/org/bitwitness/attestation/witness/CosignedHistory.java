package org.bitwitness.attestation.witness;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.note.NoteText;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;

/**
 * Every tree of one log that this witness cosigned, in a file that only grows. A line is synced before the cosignature
 * leaves, so one write is the one act that decides.
 *
 * <pre>
 * bitwitness witness history v1 example.com/log
 * 17 6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d 0a41c7f2
 * </pre>
 *
 * <p>size, root, and the first 8 hex digits of SHA-256 over the header and everything before them in the line. A last
 * line without its newline was never acknowledged and is cut off; any other damage stops the witness, because going on
 * from an older tree is what a witness must never do.
 */
final class CosignedHistory implements AutoCloseable {
    private static final long MAX_FILE_BYTES = 1L << 30;

    private final Path file;
    private final String header;
    private final FileChannel channel;
    private final NavigableMap<Long, Sha256> rootBySize = new TreeMap<>();
    private boolean failed;

    private CosignedHistory(Path file, String header, FileChannel channel) {
        this.file = file;
        this.header = header;
        this.channel = channel;
    }

    /** Opens the history of a log in a folder; a log that was never seen has an empty one. */
    static CosignedHistory open(Path folder, String origin) throws AttestationException {
        Path file = folder.resolve(Hashing.sha256(origin).hex() + ".history");
        String header = "bitwitness witness history v1 " + origin + "\n";
        try {
            FileChannel channel = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            CosignedHistory history = new CosignedHistory(file, header, channel);
            history.load();
            syncFolder(folder);
            return history;
        } catch (IOException e) {
            throw new AttestationException(
                    AttestationException.Kind.ENVIRONMENT, "cannot keep the witness history " + file + ": " + e, e);
        }
    }

    /** Size of the newest tree, 0 if none was ever cosigned. */
    long latestSize() {
        return rootBySize.isEmpty() ? 0 : rootBySize.lastKey();
    }

    Optional<Sha256> rootOf(long size) {
        return Optional.ofNullable(rootBySize.get(size));
    }

    /** The first tree that was cosigned and holds entry {@code leafIndex}. */
    Optional<Map.Entry<Long, Sha256>> firstHolding(long leafIndex) {
        return Optional.ofNullable(rootBySize.higherEntry(leafIndex));
    }

    /**
     * Records a larger tree. When this returns, the record outlives the process and the machine's power.
     *
     * @throws AttestationException if it cannot be recorded; nothing may be cosigned then
     */
    void record(long size, Sha256 root) throws AttestationException {
        if (failed) {
            throw AttestationException.environment(
                    "an earlier write to " + file + " failed: mend the disk and start the witness again");
        }
        if (size <= latestSize()) {
            throw new IllegalArgumentException("a history only grows: %d after %d".formatted(size, latestSize()));
        }
        failed = true;
        try {
            append(line(size, root));
        } catch (IOException e) {
            throw new AttestationException(AttestationException.Kind.ENVIRONMENT, "cannot write " + file + ": " + e, e);
        }
        failed = false;
        rootBySize.put(size, root);
    }

    private void load() throws IOException, AttestationException {
        if (channel.size() > MAX_FILE_BYTES) {
            throw AttestationException.environment(file + " has over " + MAX_FILE_BYTES + " bytes");
        }
        String text = NoteText.utf8(Files.readAllBytes(file), file.toString());
        int complete = text.lastIndexOf('\n') + 1;
        if (complete < text.length()) {
            channel.truncate(text.substring(0, complete).getBytes(StandardCharsets.UTF_8).length);
            channel.force(true);
        }
        if (complete == 0) {
            append(header);
            return;
        }
        if (!text.startsWith(header)) {
            throw damaged(1);
        }
        String[] lines = text.substring(0, complete).split("\n", -1);
        for (int i = 1; i < lines.length - 1; i++) {
            String[] words = lines[i].split(" ", -1);
            if (words.length != 3 || !Sha256.isHex(words[1])) {
                throw damaged(i + 1);
            }
            long size = NoteText.decimal(words[0], file + " line " + (i + 1));
            Sha256 root = Sha256.ofHex(words[1]);
            if (!line(size, root).equals(lines[i] + "\n") || size <= latestSize()) {
                throw damaged(i + 1);
            }
            rootBySize.put(size, root);
        }
    }

    private void append(String line) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8));
        channel.position(channel.size());
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
        channel.force(true);
    }

    private String line(long size, Sha256 root) {
        String body = size + " " + root.hex() + " ";
        return body + Hashing.sha256(header + body).hex().substring(0, 8) + "\n";
    }

    private AttestationException damaged(int line) {
        return AttestationException.environment(
                "%s line %d is damaged: restore the newest copy. A witness that forgets what it cosigned is none"
                        .formatted(file, line));
    }

    private static void syncFolder(Path folder) throws IOException {
        try (FileChannel handle = FileChannel.open(folder, StandardOpenOption.READ)) {
            handle.force(true);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
