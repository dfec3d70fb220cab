package org.bitwitness.attestation.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import java.util.stream.Stream;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;

/**
 * Batches of files, each made durable by one sync: a batch is written into one file here before its files are written
 * in their places, so that those need no sync of their own until the journal is dropped.
 *
 * <pre>
 * .writer/journal/000000000007     u32 count, then for each file u16 path length, path, u32 length, bytes;
 *                                  SHA-256 of all that
 * </pre>
 *
 * <p>A file whose hash does not hold is a batch that never was, if it is the newest; otherwise the disk is damaged.
 */
final class BatchJournal {
    static final String FOLDER = FolderStore.WRITER + "/journal";

    private static final int MAX_FILES = 1 << 20;
    private static final int MAX_PATH_BYTES = 255;

    private final Path folder;
    private long next = 1;
    private long bytes;

    BatchJournal(Path root) {
        this.folder = root.resolve(FOLDER);
    }

    /** Bytes of the batches that are kept. */
    long bytes() {
        return bytes;
    }

    /** Makes a batch durable. When this returns, it outlives the machine's power. */
    void append(SequencedMap<String, byte[]> files) throws IOException {
        byte[] batch = encode(files);
        Path file = folder.resolve(String.format(Locale.ROOT, "%012d", next));
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            ByteBuffer buffer = ByteBuffer.wrap(batch);
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
            channel.force(true);
        }
        FolderStore.sync(folder);
        next++;
        bytes += batch.length;
    }

    /** The batches that are kept, oldest first. */
    List<SequencedMap<String, byte[]>> read() throws IOException {
        List<SequencedMap<String, byte[]>> batches = new ArrayList<>();
        List<Path> files = files();
        for (int i = 0; i < files.size(); i++) {
            byte[] batch = Files.readAllBytes(files.get(i));
            int end = batch.length - Sha256.BYTES;
            boolean whole = end > 0
                    && Arrays.equals(
                            Hashing.sha256(Arrays.copyOf(batch, end)).bytes(),
                            Arrays.copyOfRange(batch, end, batch.length));
            if (whole) {
                batches.add(decode(ByteBuffer.wrap(batch, 0, end), files.get(i)));
            } else if (i < files.size() - 1) {
                throw new IOException(files.get(i) + " is damaged, and later batches rest on it");
            }
            next = Long.parseLong(String.valueOf(files.get(i).getFileName())) + 1;
        }
        return batches;
    }

    /** Drops every batch: their files are durable in their places. */
    void clear() throws IOException {
        for (Path file : files()) {
            Files.delete(file);
        }
        bytes = 0;
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> String.valueOf(file.getFileName()).matches("[0-9]{12}"))
                    .sorted()
                    .toList();
        }
    }

    private static byte[] encode(SequencedMap<String, byte[]> files) {
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
        byte[] body = Arrays.copyOf(out.array(), out.position());
        return out.put(Hashing.sha256(body).bytes()).array();
    }

    private static SequencedMap<String, byte[]> decode(ByteBuffer in, Path file) throws IOException {
        SequencedMap<String, byte[]> files = new LinkedHashMap<>();
        int count = in.getInt();
        if (count < 0 || count > MAX_FILES) {
            throw new IOException(file + " says that it holds " + count + " files");
        }
        for (int i = 0; i < count; i++) {
            byte[] name = new byte[Math.min(in.getShort(), MAX_PATH_BYTES)];
            in.get(name);
            String path = new String(name, StandardCharsets.US_ASCII);
            byte[] content = new byte[Math.min(in.getInt(), in.remaining())];
            in.get(content);
            boolean ours = path.equals(LocalTileLog.TREE)
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
