package org.bitwitness.attestation.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SequencedMap;
import java.util.stream.Stream;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;

/**
 * Batches of files, each made durable by one sync: a batch is appended to the newest file here before its files are
 * written in their places, so that those need no sync of their own until the journal is dropped.
 *
 * <pre>
 * .writer/journal/000000000007     batch after batch: u32 count, then for each file u16 path length, path, u32 length,
 *                                  bytes; SHA-256 of all that
 * </pre>
 *
 * <p>A batch is synced before the next one is written. So one that ends the newest file and is not whole never was; any
 * other that is not whole is damage. Not safe for use by several threads, but for {@link #drop}.
 */
final class BatchJournal {
    static final String FOLDER = FolderStore.WRITER + "/journal";

    private static final int MAX_FILES = 1 << 20;

    private final Path folder;
    private Optional<FileChannel> newest = Optional.empty();
    private long number;
    private long bytes;
    private boolean broken;

    BatchJournal(Path root) {
        this.folder = root.resolve(FOLDER);
    }

    /** Bytes of the batches in the newest file. */
    long bytes() {
        return bytes;
    }

    /**
     * Makes a batch durable. When this returns, it outlives the machine's power; when it throws, nothing more is taken
     * before {@link #read}, because what follows a torn batch would be lost with it.
     */
    void append(SequencedMap<String, byte[]> files) throws IOException {
        if (broken) {
            throw new IOException("an earlier batch could not be written to " + folder + ": the log has to recover");
        }
        broken = true;
        ByteBuffer batch = encode(files);
        FileChannel channel = newest.isPresent() ? newest.get() : begin();
        int length = batch.remaining();
        while (batch.hasRemaining()) {
            channel.write(batch);
        }
        channel.force(false);
        bytes += length;
        broken = false;
    }

    private FileChannel begin() throws IOException {
        FileChannel channel =
                FileChannel.open(file(number + 1), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        newest = Optional.of(channel);
        number++;
        bytes = 0;
        FolderStore.sync(folder);
        return channel;
    }

    /**
     * Lets the next batch begin a new file.
     *
     * @return number of the newest file up to now
     */
    long rotate() throws IOException {
        if (newest.isPresent()) {
            newest.get().close();
            newest = Optional.empty();
        }
        bytes = 0;
        return number;
    }

    /** The batches that are kept, oldest first. */
    List<SequencedMap<String, byte[]>> read() throws IOException {
        rotate();
        List<SequencedMap<String, byte[]>> batches = new ArrayList<>();
        List<Path> files = files();
        for (int i = 0; i < files.size(); i++) {
            ByteBuffer in = ByteBuffer.wrap(Files.readAllBytes(files.get(i)));
            while (in.hasRemaining()) {
                OptionalInt end = endOfBatch(in);
                boolean whole = end.isPresent() && hashHolds(in, end.getAsInt());
                if (whole) {
                    batches.add(decode(in, files.get(i)));
                    in.position(in.position() + Sha256.BYTES);
                } else if (i < files.size() - 1 || (end.isPresent() && end.getAsInt() + Sha256.BYTES < in.limit())) {
                    throw new IOException(
                            files.get(i) + " is damaged at byte " + in.position() + ", and later batches rest on it");
                } else {
                    in.position(in.limit());
                }
            }
            number = number(files.get(i));
        }
        broken = false;
        return batches;
    }

    /** Drops every batch up to a file: what they hold is durable in its places. */
    void drop(long upToNumber) throws IOException {
        for (Path file : files()) {
            if (number(file) <= upToNumber) {
                Files.delete(file);
            }
        }
        // An old file that comes back after a power cut must not come back without the ones that followed it.
        FolderStore.sync(folder);
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> String.valueOf(file.getFileName()).matches("[0-9]{12}"))
                    .sorted()
                    .toList();
        }
    }

    private Path file(long name) {
        return folder.resolve(String.format(Locale.ROOT, "%012d", name));
    }

    private static long number(Path file) {
        return Long.parseLong(String.valueOf(file.getFileName()));
    }

    private static ByteBuffer encode(SequencedMap<String, byte[]> files) {
        int size = Integer.BYTES + Sha256.BYTES;
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            size = Math.addExact(
                    size, Short.BYTES + Integer.BYTES + file.getKey().length() + file.getValue().length);
        }
        ByteBuffer out = ByteBuffer.allocate(size).putInt(files.size());
        files.forEach((path, content) -> {
            byte[] name = path.getBytes(StandardCharsets.US_ASCII);
            out.putShort((short) name.length).put(name).putInt(content.length).put(content);
        });
        return out.put(digest(out.duplicate().flip()).bytes()).flip();
    }

    /** Where the hash of the next batch begins, by the lengths in it; empty if it would end behind the buffer. */
    private static OptionalInt endOfBatch(ByteBuffer in) {
        ByteBuffer ahead = in.duplicate();
        if (ahead.remaining() < Integer.BYTES) {
            return OptionalInt.empty();
        }
        int count = ahead.getInt();
        if (count < 0 || count > MAX_FILES) {
            return OptionalInt.empty();
        }
        for (int i = 0; i < count; i++) {
            if (!skip(ahead, ahead.remaining() < Short.BYTES ? -1 : Short.toUnsignedInt(ahead.getShort()))
                    || !skip(ahead, ahead.remaining() < Integer.BYTES ? -1 : ahead.getInt())) {
                return OptionalInt.empty();
            }
        }
        return ahead.remaining() < Sha256.BYTES ? OptionalInt.empty() : OptionalInt.of(ahead.position());
    }

    private static boolean skip(ByteBuffer in, int length) {
        if (length < 0 || length > in.remaining()) {
            return false;
        }
        in.position(in.position() + length);
        return true;
    }

    private static boolean hashHolds(ByteBuffer in, int end) {
        Sha256 stored = Sha256.read(in.duplicate().position(end));
        return digest(in.duplicate().limit(end)).equals(stored);
    }

    private static Sha256 digest(ByteBuffer bytes) {
        MessageDigest digest = Hashing.newDigest();
        digest.update(bytes);
        return Hashing.finish(digest);
    }

    /** Reads a batch whose lengths and hash hold. */
    private static SequencedMap<String, byte[]> decode(ByteBuffer in, Path file) throws IOException {
        SequencedMap<String, byte[]> files = new LinkedHashMap<>();
        int count = in.getInt();
        for (int i = 0; i < count; i++) {
            byte[] name = new byte[Short.toUnsignedInt(in.getShort())];
            in.get(name);
            String path = new String(name, StandardCharsets.US_ASCII);
            byte[] content = new byte[in.getInt()];
            in.get(content);
            boolean ours = path.equals(LocalTileLog.TREE)
                    || path.equals(LocalTileLog.CHECKPOINT)
                    || TilePath.parse(path).isPresent()
                    || (path.startsWith("payload/") && Sha256.isHex(path.substring("payload/".length())));
            if (!ours) {
                throw new IOException(file + " names " + path + ", which is no file of a log");
            }
            files.put(path, content);
        }
        return files;
    }
}
