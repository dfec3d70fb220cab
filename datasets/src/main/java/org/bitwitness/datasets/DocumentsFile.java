package org.bitwitness.datasets;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;

/**
 * The documents of one shard, so that anybody can tokenize them again. Big-endian: the 8 letters {@code BWDOCMTS},
 * version u32, count u32, then for each document three fields of u32 length and bytes: name, metadata (length FFFFFFFF
 * where there is none), text.
 */
final class DocumentsFile {
    private static final byte[] MAGIC = "BWDOCMTS".getBytes(StandardCharsets.US_ASCII);
    private static final int VERSION = 1;
    private static final int ABSENT = -1;
    private static final int MAX_METADATA_BYTES = 1 << 24;

    private DocumentsFile() {}

    static void write(Path file, List<Document> documents) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            DataOutputStream out = new DataOutputStream(new BufferedOutputStream(Channels.newOutputStream(channel)));
            out.write(MAGIC);
            out.writeInt(VERSION);
            out.writeInt(documents.size());
            for (Document document : documents) {
                field(out, document.name().getBytes(StandardCharsets.UTF_8));
                if (document.metadata().isPresent()) {
                    field(out, document.metadata().get().getBytes(StandardCharsets.UTF_8));
                } else {
                    out.writeInt(ABSENT);
                }
                field(out, document.text());
            }
            out.flush();
            channel.force(true);
        }
    }

    /**
     * Reads the documents of a shard and checks each against its entry, sizes before anything is allocated.
     *
     * @throws DatasetException naming the first document that differs
     */
    static List<Document> read(Path file, ShardEntry shard) throws DatasetException, IOException {
        long fileBytes = Files.size(file);
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            if (!Arrays.equals(in.readNBytes(MAGIC.length), MAGIC) || in.readInt() != VERSION) {
                throw DatasetException.bytes(
                        "%s should start with BWDOCMTS and version %d", shard.documentsFile(), VERSION);
            }
            int count = in.readInt();
            if (count != shard.documents().size()) {
                throw DatasetException.bytes(
                        "%s should hold %d documents, says %s",
                        shard.documentsFile(), shard.documents().size(), Integer.toUnsignedString(count));
            }
            List<Document> documents = new ArrayList<>();
            for (DocumentEntry entry : shard.documents()) {
                documents.add(readOne(in, entry, fileBytes));
            }
            if (in.read() >= 0) {
                throw DatasetException.bytes("%s has bytes after its last document", shard.documentsFile());
            }
            return documents;
        } catch (EOFException e) {
            throw new DatasetException(
                    DatasetException.Kind.BYTES, shard.documentsFile() + " ends before its last document", e);
        }
    }

    private static Document readOne(DataInputStream in, DocumentEntry entry, long fileBytes)
            throws DatasetException, IOException {
        String name = new String(bytes(in, entry, "name", Document.MAX_NAME_BYTES), StandardCharsets.UTF_8);
        if (!name.equals(entry.name())) {
            throw DatasetException.bytes("the next document should be %s, is named otherwise", entry.name());
        }
        in.mark(Integer.BYTES);
        Optional<byte[]> metadata = Optional.empty();
        if (in.readInt() != ABSENT) {
            in.reset();
            metadata = Optional.of(bytes(in, entry, "metadata", MAX_METADATA_BYTES));
        }
        if (!metadata.map(Hashing::sha256).equals(entry.metadataSha256())) {
            throw DatasetException.bytes("the metadata of document %s is not what the manifest says", entry.name());
        }
        byte[] text = bytes(in, entry, "text", Math.min(entry.bytes(), fileBytes));
        Sha256 found = Hashing.sha256(text);
        if (!found.equals(entry.sha256())) {
            throw DatasetException.bytes(
                    "document %s should have SHA-256 %s, has %s", entry.name(), entry.sha256(), found);
        }
        if (!TextForm.isNormal(text)) {
            throw DatasetException.bytes("document %s is not in normal text form", entry.name());
        }
        return new Document(name, text, metadata.map(b -> new String(b, StandardCharsets.UTF_8)));
    }

    private static byte[] bytes(DataInputStream in, DocumentEntry entry, String field, long max)
            throws DatasetException, IOException {
        int length = in.readInt();
        if (length < 0 || length > max) {
            throw DatasetException.bytes(
                    "the %s of document %s should have at most %d bytes, says %s",
                    field, entry.name(), max, Integer.toUnsignedString(length));
        }
        byte[] out = in.readNBytes(length);
        if (out.length != length) {
            throw new EOFException();
        }
        return out;
    }

    private static void field(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }
}
