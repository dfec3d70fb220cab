package org.bitwitness.datasets.source;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.datasets.Document;
import org.bitwitness.datasets.SourceFile;
import org.bitwitness.datasets.TokenIds;
import org.bitwitness.datasets.TokenWidth;
import org.bitwitness.datasets.TokenizerSpec;
import org.bitwitness.protocol.Hashing;

/**
 * Files of ids, little-endian, that another program tokenized: bare ones as nanoGPT writes them, and llm.c's with 256
 * words of header (magic, version, count). A document ends at every end of text, and is named {@code file.bin#000000001}
 * by its place. Ids keep their order; an end of text is added where the file's last document has none.
 */
public final class TokenFiles {
    private static final int LLM_C_U16 = 20240520;
    private static final int LLM_C_U32 = 20240801;
    private static final int LLM_C_EVAL = 20240522;
    private static final int LLM_C_HEADER_BYTES = 256 * Integer.BYTES;

    private TokenFiles() {}

    /**
     * Reads a file.
     *
     * @param spec of {@link TokenIds}: vocabulary and end of text
     * @param bareWidth of the ids of a file without header
     * @throws DatasetException naming the file and, for an id at or above the vocabulary, its place
     */
    public static DocumentSet read(Path file, TokenizerSpec spec, TokenWidth bareWidth) throws DatasetException {
        byte[] raw = TextFiles.readAll(file);
        String name = String.valueOf(file.getFileName());
        int[] ids = ids(raw, name, spec, bareWidth);
        List<Document> documents = new ArrayList<>();
        int from = 0;
        while (from < ids.length) {
            int end = from;
            while (end < ids.length && ids[end] != spec.endOfText()) {
                end++;
            }
            String document = String.format(Locale.ROOT, "%s#%09d", name, documents.size() + 1);
            TextFiles.requireName(document);
            documents.add(Document.of(document, TokenIds.text(ids, from, end)));
            from = end + 1;
        }
        return DocumentSet.of(List.of(new SourceFile(name, raw.length, Hashing.sha256(raw))), documents);
    }

    private static int[] ids(byte[] raw, String name, TokenizerSpec spec, TokenWidth bareWidth)
            throws DatasetException {
        ByteBuffer in = ByteBuffer.wrap(raw).order(ByteOrder.LITTLE_ENDIAN);
        TokenWidth width = bareWidth;
        int magic = raw.length >= LLM_C_HEADER_BYTES ? in.getInt(0) : 0;
        if (magic == LLM_C_EVAL) {
            throw DatasetException.bytes(
                    "%s is an evaluation file of llm.c (magic %d), not text to train on: give the training shards",
                    name, magic);
        }
        if (magic == LLM_C_U16 || magic == LLM_C_U32) {
            width = magic == LLM_C_U16 ? TokenWidth.U16 : TokenWidth.U32;
            long says = in.getInt(2 * Integer.BYTES) & 0xFFFFFFFFL;
            long has = (long) raw.length - LLM_C_HEADER_BYTES;
            if (says * width.bytes() != has) {
                throw DatasetException.bytes(
                        "%s: its header says %d ids of %d bytes, after it are %d bytes",
                        name, says, width.bytes(), has);
            }
            in.position(LLM_C_HEADER_BYTES);
        }
        if (in.remaining() == 0 || in.remaining() % width.bytes() != 0) {
            throw DatasetException.bytes(
                    "%s: should hold ids of %d bytes, has %d bytes of them", name, width.bytes(), in.remaining());
        }
        int[] ids = new int[in.remaining() / width.bytes()];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = width == TokenWidth.U16 ? in.getShort() & 0xFFFF : in.getInt();
            if (ids[i] < 0 || ids[i] >= spec.vocab()) {
                throw DatasetException.bytes(
                        "%s: id number %d, read as %s, is %s, the vocabulary has %d: name the right --vocab or"
                                + " --token-width",
                        name, i, width.text(), Integer.toUnsignedString(ids[i]), spec.vocab());
            }
        }
        return ids;
    }
}
