package org.bitwitness.datasets;

import com.knuddels.jtokkit.Encodings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bitwitness.protocol.format.Json;

/**
 * GPT-2's byte-pair encoding as a {@code tokenizer.json}: 50,257 ids, the last one ending a text. The library jtokkit
 * brings the ranks ({@code r50k_base}, whose ids are GPT-2's); a token's merge is the last one that its own bytes go
 * through when only lower ranks exist.
 */
public final class Gpt2Bpe {
    private static final String RANKS = "r50k_base.tiktoken";
    private static final int TOKENS = 50_256;
    private static final String END_OF_TEXT = "<|endoftext|>";

    private Gpt2Bpe() {}

    /** The tokenizer, ready to use. */
    public static JsonTokenizer tokenizer() throws DatasetException {
        return JsonTokenizer.of(tokenizerJson(), Optional.of(END_OF_TEXT));
    }

    /** The bytes of {@code tokenizer.json}; always the same. */
    public static byte[] tokenizerJson() throws DatasetException {
        List<String> tokens = tokens();
        Map<String, Integer> ranks = new HashMap<>();
        for (int id = 0; id < tokens.size(); id++) {
            ranks.put(tokens.get(id), id);
        }
        Json.Builder vocab = Json.object();
        List<Json> merges = new ArrayList<>();
        for (int id = 0; id < tokens.size(); id++) {
            vocab.put(written(tokens.get(id)), id);
            if (tokens.get(id).length() > 1) {
                List<String> halves = halves(tokens.get(id), id, ranks);
                merges.add(Json.text(written(halves.get(0)) + " " + written(halves.get(1))));
            }
        }
        vocab.put(END_OF_TEXT, TOKENS);
        return (json(vocab.build(), new Json.Arr(merges)).toText() + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /** Tokens by id; a character stands for a byte. */
    private static List<String> tokens() throws DatasetException {
        List<String> tokens = new ArrayList<>();
        try (InputStream in = Encodings.class.getResourceAsStream("/com/knuddels/jtokkit/" + RANKS)) {
            if (in == null) {
                throw DatasetException.environment("%s is missing from the library jtokkit", RANKS);
            }
            BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII));
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                int space = line.indexOf(' ');
                if (space < 0 || Integer.parseInt(line.substring(space + 1)) != tokens.size()) {
                    throw DatasetException.environment("%s should list its ranks in order: %s", RANKS, line);
                }
                tokens.add(
                        new String(Base64.getDecoder().decode(line.substring(0, space)), StandardCharsets.ISO_8859_1));
            }
        } catch (IOException e) {
            throw new DatasetException(DatasetException.Kind.ENVIRONMENT, "cannot read " + RANKS, e);
        }
        if (tokens.size() != TOKENS) {
            throw DatasetException.environment("%s should have %d tokens, has %d", RANKS, TOKENS, tokens.size());
        }
        return tokens;
    }

    /** The two parts that a token's bytes come to when every merge before its own is done. */
    private static List<String> halves(String token, int rank, Map<String, Integer> ranks) {
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < token.length(); i++) {
            parts.add(token.substring(i, i + 1));
        }
        while (parts.size() > 2) {
            int best = -1;
            int bestRank = rank;
            for (int i = 0; i + 1 < parts.size(); i++) {
                int found = ranks.getOrDefault(parts.get(i) + parts.get(i + 1), Integer.MAX_VALUE);
                if (found < bestRank) {
                    best = i;
                    bestRank = found;
                }
            }
            if (best < 0) {
                throw new IllegalStateException("token " + rank + " is not made of tokens of lower rank");
            }
            parts.set(best, parts.get(best) + parts.remove(best + 1));
        }
        return parts;
    }

    /** How byte-level tokenizers write bytes. */
    private static String written(String bytes) {
        StringBuilder out = new StringBuilder();
        bytes.chars().forEach(b -> out.append((char) ByteTokenizer.characterOfByte(b)));
        return out.toString();
    }

    private static Json.Obj json(Json vocab, Json merges) {
        Json byteLevel = Json.object()
                .put("type", "ByteLevel")
                .put("add_prefix_space", false)
                .put("trim_offsets", true)
                .put("use_regex", true)
                .build();
        Json end = Json.object()
                .put("id", TOKENS)
                .put("content", END_OF_TEXT)
                .put("single_word", false)
                .put("lstrip", false)
                .put("rstrip", false)
                .put("normalized", false)
                .put("special", true)
                .build();
        return Json.object()
                .put("version", "1.0")
                .put("truncation", new Json.Null())
                .put("padding", new Json.Null())
                .put("added_tokens", new Json.Arr(List.of(end)))
                .put("normalizer", new Json.Null())
                .put("pre_tokenizer", byteLevel)
                .put("post_processor", new Json.Null())
                .put("decoder", byteLevel)
                .put(
                        "model",
                        Json.object()
                                .put("type", "BPE")
                                .put("dropout", new Json.Null())
                                .put("unk_token", new Json.Null())
                                .put("continuing_subword_prefix", new Json.Null())
                                .put("end_of_word_suffix", new Json.Null())
                                .put("fuse_unk", false)
                                .put("byte_fallback", false)
                                .put("vocab", vocab)
                                .put("merges", merges)
                                .build())
                .build();
    }
}
