package org.bitwitness.datasets;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.format.Json;

/**
 * Every byte is a token: ids 0 to 255 are the bytes, 256 ends a document. Text that spells the end-of-text mark is
 * bytes like any other text.
 *
 * <p>The tokenizer file is a {@code tokenizer.json} that the Hugging Face library reads (byte-level BPE without merges);
 * its SHA-256 is what a dataset and a run name.
 */
public final class ByteTokenizer {
    public static final String KIND = "bytes";
    public static final int END_OF_TEXT = 256;
    public static final int VOCAB = 257;

    /** SHA-256 of {@link #tokenizerJson()}; another value would be another tokenizer. */
    public static final Sha256 DIGEST = Hashing.sha256(tokenizerJson());

    public static final TokenizerSpec SPEC = new TokenizerSpec(KIND, DIGEST, VOCAB, END_OF_TEXT);

    /** The one instance, as a {@link Tokenizer}. */
    public static final Tokenizer INSTANCE = new Instance();

    private ByteTokenizer() {}

    private static final class Instance implements Tokenizer {
        @Override
        public TokenizerSpec spec() {
            return SPEC;
        }

        @Override
        public int[] encode(byte[] text) {
            return ByteTokenizer.encode(text);
        }

        @Override
        public byte[] decode(int[] ids) {
            return ByteTokenizer.decode(ids);
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

    /**
     * Ids of one document.
     *
     * @param text in the form of {@link TextForm}
     * @return {@code text.length + 1} ids, the last one being end of text
     */
    public static int[] encode(byte[] text) {
        int[] ids = new int[text.length + 1];
        for (int i = 0; i < text.length; i++) {
            ids[i] = text[i] & 0xFF;
        }
        ids[text.length] = END_OF_TEXT;
        return ids;
    }

    /** The bytes of {@code tokenizer.json}. */
    public static byte[] tokenizerJson() {
        StringBuilder vocab = new StringBuilder();
        for (int b = 0; b < 256; b++) {
            vocab.append(b == 0 ? "" : ",")
                    .append('"')
                    .append(jsonOfByte(b))
                    .append("\":")
                    .append(b);
        }
        String byteLevel =
                "{\"add_prefix_space\":false,\"trim_offsets\":false,\"type\":\"ByteLevel\",\"use_regex\":false}";
        String json =
                "{\"version\":\"1.0\",\"truncation\":null,\"padding\":null,\"added_tokens\":[{\"id\":" + END_OF_TEXT
                        + ",\"content\":\"<|endoftext|>\",\"single_word\":false,\"lstrip\":false,\"rstrip\":false,"
                        + "\"normalized\":false,\"special\":true}],\"normalizer\":null,\"pre_tokenizer\":" + byteLevel
                        + ",\"post_processor\":null,\"decoder\":" + byteLevel
                        + ",\"model\":{\"type\":\"BPE\",\"dropout\":null,\"unk_token\":null,\"continuing_subword_prefix\":null,"
                        + "\"end_of_word_suffix\":null,\"fuse_unk\":false,\"byte_fallback\":false,\"ignore_merges\":false,"
                        + "\"vocab\":{" + vocab + "},\"merges\":[]}}\n";
        return json.getBytes(StandardCharsets.US_ASCII);
    }

    /** The bytes of {@code tokenizer_config.json}. */
    public static byte[] tokenizerConfigJson(int contextLength, String endOfText) {
        String end = Json.text(endOfText).toText();
        String json = "{\"tokenizer_class\":\"PreTrainedTokenizerFast\",\"model_max_length\":" + contextLength
                + ",\"bos_token\":" + end + ",\"eos_token\":" + end + ","
                + "\"clean_up_tokenization_spaces\":false}\n";
        return json.getBytes(StandardCharsets.UTF_8);
    }

    /** The character that byte-level tokenizers write for a byte: itself where it prints, else U+0100 and up. */
    static int characterOfByte(int b) {
        if (prints(b)) {
            return b;
        }
        int rank = 0;
        for (int lower = 0; lower < b; lower++) {
            rank += prints(lower) ? 0 : 1;
        }
        return 256 + rank;
    }

    private static boolean prints(int b) {
        return (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
    }

    private static String jsonOfByte(int b) {
        int c = characterOfByte(b);
        if (c == '"' || c == '\\') {
            return "\\" + (char) c;
        }
        return c < 127 ? Character.toString(c) : "\\u%04x".formatted(c);
    }

    /** Bytes of ids, ends of text left out; for showing samples to people. */
    public static byte[] decode(int[] ids) {
        byte[] out = new byte[ids.length];
        int length = 0;
        for (int id : ids) {
            if (id < 0 || id >= VOCAB) {
                throw new IllegalArgumentException("ids lie in [0, %d), got %d".formatted(VOCAB, id));
            }
            if (id != END_OF_TEXT) {
                out[length++] = (byte) id;
            }
        }
        return Arrays.copyOf(out, length);
    }
}
