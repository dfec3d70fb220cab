package org.bitwitness.protocol.format;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bitwitness.protocol.Excerpt;
import org.bitwitness.protocol.ProtocolException;

/**
 * The only reader of JSON that came from outside. Refuses, with the line: a key twice, NaN and infinities, comments,
 * single quotes, trailing commas, anything after the value, text that is not UTF-8 or has lone surrogates, integers
 * over 64 bits, and everything over its limits. Integers stay exact and {@code 1.0} stays different from {@code 1}.
 */
public final class StrictJson {
    private final Limits limits;
    private final JsonFactory factory;

    /** What a text may be at most. */
    public record Limits(int maxBytes, int maxDepth, int maxStringChars, int maxNumberChars) {
        /** For manifests and statements: 16 MiB, 64 levels, strings of 4 million characters, numbers of 64. */
        public static final Limits DEFAULT = new Limits(16 << 20, 64, 4_000_000, 64);

        public Limits withMaxBytes(int bytes) {
            return new Limits(bytes, maxDepth, maxStringChars, maxNumberChars);
        }
    }

    private StrictJson(Limits limits) {
        this.limits = limits;
        this.factory = new JsonFactoryBuilder()
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNestingDepth(limits.maxDepth())
                        .maxStringLength(limits.maxStringChars())
                        .maxNameLength(Math.min(limits.maxStringChars(), 50_000))
                        .maxNumberLength(limits.maxNumberChars())
                        .build())
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                .build();
    }

    public static StrictJson withDefaults() {
        return new StrictJson(Limits.DEFAULT);
    }

    public static StrictJson with(Limits limits) {
        return new StrictJson(limits);
    }

    /** Reads an object under the default limits. */
    public static Json.Obj object(byte[] utf8, String what) throws ProtocolException {
        return withDefaults().readObject(utf8, what);
    }

    /**
     * Reads one object.
     *
     * @param what a name for messages, like {@code descriptor.json}
     */
    public Json.Obj readObject(byte[] utf8, String what) throws ProtocolException {
        Json value = read(utf8, what);
        if (value instanceof Json.Obj object) {
            return object;
        }
        throw ProtocolException.malformed("%s: should be an object, is %s", what, value.typeName());
    }

    /** Reads one value of any kind. */
    public Json read(byte[] utf8, String what) throws ProtocolException {
        if (utf8.length > limits.maxBytes()) {
            throw ProtocolException.overLimit(
                    "%s: at most %d bytes of JSON, has %d", what, limits.maxBytes(), utf8.length);
        }
        String text = decode(utf8, what);
        try (JsonParser parser = factory.createParser(text)) {
            try {
                parser.nextToken();
                Json value = value(parser, what);
                if (parser.nextToken() != null) {
                    throw ProtocolException.malformed("%s line %d: text after the value", what, line(parser));
                }
                return value;
            } catch (JsonProcessingException e) {
                throw new ProtocolException(
                        ProtocolException.Kind.MALFORMED,
                        "%s line %d: %s".formatted(what, line(parser), withoutPlaces(e.getOriginalMessage())),
                        e);
            }
        } catch (IOException e) {
            throw new IllegalStateException("reading a string cannot fail", e);
        }
    }

    /** Jackson repeats the place in words that are not for the person who mends the file. */
    private static String withoutPlaces(String message) {
        return message.replaceFirst(" \\(start marker at .*", "");
    }

    private static Json value(JsonParser parser, String what) throws IOException, ProtocolException {
        JsonToken token = parser.currentToken();
        if (token == null) {
            throw ProtocolException.malformed("%s line %d: ends before a value", what, line(parser));
        }
        return switch (token) {
            case START_OBJECT -> object(parser, what);
            case START_ARRAY -> array(parser, what);
            case VALUE_STRING -> new Json.Text(wellFormed(parser.getText(), parser, what));
            case VALUE_NUMBER_INT -> integer(parser, what);
            case VALUE_NUMBER_FLOAT -> decimal(parser, what);
            case VALUE_TRUE -> new Json.Bool(true);
            case VALUE_FALSE -> new Json.Bool(false);
            case VALUE_NULL -> new Json.Null();
            case END_OBJECT, END_ARRAY, FIELD_NAME, VALUE_EMBEDDED_OBJECT, NOT_AVAILABLE ->
                throw ProtocolException.malformed("%s line %d: unexpected %s", what, line(parser), token);
        };
    }

    private static Json object(JsonParser parser, String what) throws IOException, ProtocolException {
        Map<String, Json> members = new LinkedHashMap<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String key = wellFormed(parser.currentName(), parser, what);
            parser.nextToken();
            members.put(key, value(parser, what));
        }
        return new Json.Obj(members);
    }

    private static Json array(JsonParser parser, String what) throws IOException, ProtocolException {
        List<Json> items = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            items.add(value(parser, what));
        }
        return new Json.Arr(items);
    }

    private static Json decimal(JsonParser parser, String what) throws IOException, ProtocolException {
        try {
            return new Json.Decimal(parser.getDecimalValue());
        } catch (NumberFormatException exponentTooLong) {
            throw new ProtocolException(
                    ProtocolException.Kind.OVER_LIMIT,
                    "%s line %d: the exponent of %s does not fit 32 bits"
                            .formatted(what, line(parser), Excerpt.of(parser.getText())),
                    exponentTooLong);
        }
    }

    private static Json integer(JsonParser parser, String what) throws IOException, ProtocolException {
        BigInteger number = parser.getBigIntegerValue();
        if (number.bitLength() >= Long.SIZE) {
            throw ProtocolException.overLimit(
                    "%s line %d: the integer %s does not fit 64 bits", what, line(parser), parser.getText());
        }
        if (number.signum() == 0 && parser.getText().startsWith("-")) {
            throw ProtocolException.malformed("%s line %d: -0 is not an integer's spelling", what, line(parser));
        }
        return new Json.Int(number.longValue());
    }

    private static String decode(byte[] utf8, String what) throws ProtocolException {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(utf8))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new ProtocolException(ProtocolException.Kind.MALFORMED, what + ": not UTF-8", e);
        }
    }

    /** Escapes can spell half a character; such a string has no UTF-8 and so no hash. */
    private static String wellFormed(String text, JsonParser parser, String what) throws ProtocolException {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
            } else if (Character.isSurrogate(c)) {
                throw ProtocolException.malformed("%s line %d: a lone surrogate in a string", what, line(parser));
            }
        }
        return text;
    }

    private static int line(JsonParser parser) {
        return parser.currentLocation().getLineNr();
    }
}
