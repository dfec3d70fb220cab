package org.bitwitness.datasets;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.format.Json;

/**
 * For text that somebody else tokenized: a document is its ids in decimal, one space between two, and nothing is known
 * of the words behind them. Only the vocabulary and the end of text have to be said.
 */
public final class TokenIds implements Tokenizer {
    public static final String KIND = "ids";

    private static final int MAX_DIGITS = 9;

    private final TokenizerSpec spec;

    public TokenIds(int vocab, int endOfText) {
        byte[] definition = Json.canonicalBytes(Json.object()
                .put("endOfText", endOfText)
                .put("kind", KIND)
                .put("vocab", vocab)
                .build());
        this.spec = new TokenizerSpec(KIND, Hashing.sha256(definition), vocab, endOfText);
    }

    /** The document of some ids, without the end of text. */
    public static byte[] text(int[] ids, int from, int end) {
        StringBuilder text = new StringBuilder();
        for (int i = from; i < end; i++) {
            text.append(i == from ? "" : " ").append(ids[i]);
        }
        return text.toString().getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public TokenizerSpec spec() {
        return spec;
    }

    @Override
    public int[] encode(byte[] text) throws DatasetException {
        int[] ids = new int[text.length / 2 + 2];
        int count = 0;
        int at = 0;
        while (at < text.length) {
            int start = at;
            int id = 0;
            while (at < text.length && text[at] >= '0' && text[at] <= '9' && at - start < MAX_DIGITS) {
                id = id * 10 + text[at++] - '0';
            }
            boolean oneSpelling = at > start && (text[start] != '0' || at == start + 1);
            boolean separated = at == text.length || (text[at] == ' ' && at + 1 < text.length);
            if (!oneSpelling || !separated || id >= spec.vocab() || id == spec.endOfText()) {
                throw DatasetException.bytes(
                        "id number %d of the document is no decimal number below the vocabulary of %d other than the"
                                + " end of text %d",
                        count, spec.vocab(), spec.endOfText());
            }
            ids[count++] = id;
            at++;
        }
        ids[count] = spec.endOfText();
        return Arrays.copyOf(ids, count + 1);
    }

    @Override
    public byte[] decode(int[] ids) {
        int[] kept = Arrays.stream(ids).filter(id -> id != spec.endOfText()).toArray();
        return text(kept, 0, kept.length);
    }

    @Override
    public Optional<byte[]> file() {
        return Optional.empty();
    }

    @Override
    public void close() {
        // Holds nothing.
    }
}
