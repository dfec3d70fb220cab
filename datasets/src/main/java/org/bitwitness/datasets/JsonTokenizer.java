package org.bitwitness.datasets;

import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.JsonFields;
import org.bitwitness.protocol.format.StrictJson;

/**
 * A {@code tokenizer.json} as the Hugging Face library defines it, run by that library. The kind names the library's
 * version, because versions have given one file different ids; the digest names the file.
 *
 * <p>Special tokens are out of reach of text: a document that spells the end-of-text mark is words like any other.
 * Truncation, padding and templates of the file are not applied.
 */
public final class JsonTokenizer implements Tokenizer {
    /** Version of the library behind ai.djl.huggingface:tokenizers as the build pins it. */
    public static final String KIND = "hf-tokenizers-0-21-0";

    /** Marks of the end of a text, in the order in which they are looked for. */
    private static final List<String> ENDS = List.of("<|endoftext|>", "<|end_of_text|>", "</s>", "<eos>", "[SEP]");

    /** Without these the library cuts a text to a length of its own. */
    private static final Map<String, String> WHOLE_TEXTS =
            Map.of("truncation", "false", "padding", "false", "addSpecialTokens", "false");

    private static final StrictJson.Limits LIMITS = new StrictJson.Limits(128 << 20, 64, 4_000_000, 64);

    private final byte[] file;
    private final TokenizerSpec spec;
    private final HuggingFaceTokenizer library;

    private JsonTokenizer(byte[] file, TokenizerSpec spec, HuggingFaceTokenizer library) {
        this.file = file;
        this.spec = spec;
        this.library = library;
    }

    /**
     * Loads a tokenizer.
     *
     * @param endOfText the token that ends a document; absent for the first that the file has of the usual ones
     * @throws DatasetException if the file is no tokenizer, has no such token, or the library does not run here
     */
    public static JsonTokenizer of(byte[] file, Optional<String> endOfText) throws DatasetException {
        try {
            Json.Obj json = StrictJson.with(LIMITS).readObject(file, FILE);
            Map<String, Integer> ids = ids(json);
            String end = endOfText
                    .or(() -> ENDS.stream().filter(ids::containsKey).findFirst())
                    .orElse("");
            Integer id = ids.get(end);
            if (id == null) {
                throw DatasetException.bytes(
                        "%s has no token %s to end a document with: name one that it has with --end-of-text",
                        FILE, endOfText.orElse("of " + ENDS));
            }
            int vocab =
                    1 + ids.values().stream().mapToInt(Integer::intValue).max().orElse(0);
            TokenizerSpec spec = new TokenizerSpec(KIND, Hashing.sha256(file), vocab, id);
            return new JsonTokenizer(file.clone(), spec, load(withoutSpecials(json, end)));
        } catch (ProtocolException e) {
            throw DatasetException.of(e);
        }
    }

    /** Loads the tokenizer that a manifest names. */
    static JsonTokenizer of(byte[] file, TokenizerSpec named) throws DatasetException {
        if (!named.digest().equals(Hashing.sha256(file))) {
            throw DatasetException.bytes(
                    "%s should have SHA-256 %s, has %s: fetch it again", FILE, named.digest(), Hashing.sha256(file));
        }
        String end = end(file, named.endOfText());
        JsonTokenizer loaded = of(file, Optional.of(end));
        if (!loaded.spec().equals(named)) {
            loaded.close();
            throw DatasetException.bytes(
                    "%s should have a vocabulary of %d, has %d",
                    FILE, named.vocab(), loaded.spec().vocab());
        }
        return loaded;
    }

    /** The token of an id. */
    private static String end(byte[] file, int id) throws DatasetException {
        try {
            for (Map.Entry<String, Integer> token :
                    ids(StrictJson.with(LIMITS).readObject(file, FILE)).entrySet()) {
                if (token.getValue() == id) {
                    return token.getKey();
                }
            }
            throw DatasetException.bytes("%s should have a token %d, the end of text; it has none", FILE, id);
        } catch (ProtocolException e) {
            throw DatasetException.of(e);
        }
    }

    @Override
    public TokenizerSpec spec() {
        return spec;
    }

    /** The token that ends a document. */
    public String endOfText() throws DatasetException {
        return end(file, spec.endOfText());
    }

    @Override
    public int[] encode(byte[] text) throws DatasetException {
        long[] found = library.encode(new String(text, StandardCharsets.UTF_8), false, false)
                .getIds();
        int[] ids = new int[found.length + 1];
        for (int i = 0; i < found.length; i++) {
            if (found[i] < 0 || found[i] >= spec.vocab() || found[i] == spec.endOfText()) {
                throw DatasetException.bytes(
                        "the tokenizer gives id %d, which is not below its vocabulary of %d or is the end of text %d",
                        found[i], spec.vocab(), spec.endOfText());
            }
            ids[i] = (int) found[i];
        }
        ids[found.length] = spec.endOfText();
        return ids;
    }

    @Override
    public byte[] decode(int[] ids) {
        long[] kept = Arrays.stream(ids)
                .filter(id -> id != spec.endOfText())
                .asLongStream()
                .toArray();
        return library.decode(kept).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Optional<byte[]> file() {
        return Optional.of(file.clone());
    }

    @Override
    public void close() {
        library.close();
    }

    /** Every token of the model's vocabulary and of the added ones, with its id. */
    private static Map<String, Integer> ids(Json.Obj json) throws ProtocolException {
        JsonFields fields = JsonFields.of(FILE, json);
        Map<String, Integer> ids = new HashMap<>();
        JsonFields model = fields.object("model");
        Json vocab = model.any("vocab");
        if (vocab instanceof Json.Obj byToken) {
            for (Map.Entry<String, Json> token : byToken.members().entrySet()) {
                ids.put(token.getKey(), id(model, token.getValue()));
            }
        } else if (vocab instanceof Json.Arr ranked) {
            // Unigram: a list of tokens with their scores, the id being the place.
            for (int i = 0; i < ranked.items().size(); i++) {
                if (ranked.items().get(i) instanceof Json.Arr pair
                        && !pair.items().isEmpty()
                        && pair.items().getFirst() instanceof Json.Text token) {
                    ids.put(token.value(), i);
                }
            }
        }
        if (fields.has("added_tokens") && fields.any("added_tokens") instanceof Json.Arr added) {
            for (Json token : added.items()) {
                if (token instanceof Json.Obj one) {
                    JsonFields of = JsonFields.of(FILE + ".added_tokens", one);
                    ids.put(of.text("content"), of.integer32("id", 0, ManifestJson.MAX_VOCAB - 1));
                }
            }
        }
        if (ids.isEmpty()) {
            throw fields.refuse("model", "has no vocabulary");
        }
        return ids;
    }

    private static int id(JsonFields model, Json value) throws ProtocolException {
        if (value instanceof Json.Int id && id.value() >= 0 && id.value() < ManifestJson.MAX_VOCAB) {
            return (int) id.value();
        }
        throw model.refuse("vocab", "has an id that is no number from 0 to " + (ManifestJson.MAX_VOCAB - 1));
    }

    /** The same tokenizer with nothing that text could spell to get a special token. */
    private static byte[] withoutSpecials(Json.Obj json, String end) throws ProtocolException {
        Map<String, Json> members = new HashMap<>(json.members());
        List<Json> kept = new ArrayList<>();
        if (members.get("added_tokens") instanceof Json.Arr added) {
            for (Json token : added.items()) {
                boolean special = token instanceof Json.Obj one
                        && (new Json.Bool(true).equals(one.members().get("special"))
                                || Json.text(end).equals(one.members().get("content")));
                if (!special) {
                    kept.add(token);
                }
            }
        }
        members.put("added_tokens", new Json.Arr(kept));
        members.put("truncation", new Json.Null());
        members.put("padding", new Json.Null());
        members.put("post_processor", new Json.Null());
        return new Json.Obj(members).sorted().toPrettyText().getBytes(StandardCharsets.UTF_8);
    }

    private static HuggingFaceTokenizer load(byte[] json) throws DatasetException {
        // The library would report its use, look for CUDA builds of itself and fetch what its jar lacks.
        for (String[] setting :
                new String[][] {{"OPT_OUT_TRACKING", "true"}, {"ai.djl.offline", "true"}, {"RUST_FLAVOR", "cpu"}}) {
            System.setProperty(setting[0], setting[1]);
        }
        try {
            return HuggingFaceTokenizer.newInstance(new ByteArrayInputStream(json), WHOLE_TEXTS);
        } catch (IOException | RuntimeException | UnsatisfiedLinkError e) {
            throw new DatasetException(
                    DatasetException.Kind.ENVIRONMENT,
                    "the tokenizer library (%s, %s %s) cannot load this %s: %s"
                            .formatted(
                                    KIND,
                                    System.getProperty("os.name", "").toLowerCase(Locale.ROOT),
                                    System.getProperty("os.arch", ""),
                                    FILE,
                                    e.getMessage()),
                    e);
        }
    }
}
