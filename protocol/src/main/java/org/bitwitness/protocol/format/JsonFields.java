package org.bitwitness.protocol.format;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bitwitness.protocol.Excerpt;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;

/**
 * Takes a JSON object apart, field by field, and names what is wrong: a missing key, a value of the wrong kind, a number
 * out of range, and at {@link #end()} every key that nobody asked for, with the nearest one that exists.
 */
public final class JsonFields {
    private final String path;
    private final Json.Obj object;
    private final Set<String> asked = new LinkedHashSet<>();

    private JsonFields(String path, Json.Obj object) {
        this.path = path;
        this.object = object;
    }

    /** @param path where the object stands, for messages, like {@code descriptor.json} */
    public static JsonFields of(String path, Json.Obj object) {
        return new JsonFields(path, object);
    }

    public String path() {
        return path;
    }

    public boolean has(String key) {
        asked.add(key);
        return object.members().containsKey(key);
    }

    public Json any(String key) throws ProtocolException {
        asked.add(key);
        Json value = object.members().get(key);
        if (value == null) {
            throw ProtocolException.missing("%s: the key \"%s\" is missing%s", path, key, presentInstead(key));
        }
        return value;
    }

    public String text(String key) throws ProtocolException {
        if (any(key) instanceof Json.Text text) {
            return text.value();
        }
        throw wrongKind(key, "a string");
    }

    public Optional<String> optionalText(String key) throws ProtocolException {
        return has(key) ? Optional.of(text(key)) : Optional.empty();
    }

    /** One of a few words. */
    public String word(String key, List<String> words) throws ProtocolException {
        String value = text(key);
        if (!words.contains(value)) {
            throw ProtocolException.malformed(
                    "%s: \"%s\" should be one of %s, is \"%s\"", path, key, words, Excerpt.of(value));
        }
        return value;
    }

    public long integer(String key, long min, long max) throws ProtocolException {
        if (!(any(key) instanceof Json.Int number)) {
            throw wrongKind(key, "an integer");
        }
        if (number.value() < min || number.value() > max) {
            throw ProtocolException.malformed(
                    "%s: \"%s\" should be from %d to %d, is %d", path, key, min, max, number.value());
        }
        return number.value();
    }

    public int integer32(String key, int min, int max) throws ProtocolException {
        return (int) integer(key, min, max);
    }

    public boolean bool(String key) throws ProtocolException {
        if (any(key) instanceof Json.Bool truth) {
            return truth.value();
        }
        throw wrongKind(key, "true or false");
    }

    /** A number of either kind, for people's configuration files. */
    public double number(String key) throws ProtocolException {
        Json value = any(key);
        if (value instanceof Json.Int whole) {
            return whole.value();
        }
        if (value instanceof Json.Decimal decimal) {
            return decimal.value().doubleValue();
        }
        throw wrongKind(key, "a number");
    }

    public Sha256 digest(String key) throws ProtocolException {
        String hex = text(key);
        if (!Sha256.isHex(hex)) {
            throw ProtocolException.malformed(
                    "%s: \"%s\" should be 64 lower-case hex digits, is \"%s\"", path, key, Excerpt.of(hex));
        }
        return Sha256.ofHex(hex);
    }

    /** 16 hex digits: the raw bits of a binary64, or a 64-bit seed. */
    public long bits64(String key) throws ProtocolException {
        return Long.parseUnsignedLong(hexDigits(key, 16), 16);
    }

    /** 8 hex digits: the raw bits of a binary32. */
    public int bits32(String key) throws ProtocolException {
        return Integer.parseUnsignedInt(hexDigits(key, 8), 16);
    }

    public double double64(String key) throws ProtocolException {
        return Double.longBitsToDouble(bits64(key));
    }

    public float float32(String key) throws ProtocolException {
        return Float.intBitsToFloat(bits32(key));
    }

    public JsonFields object(String key) throws ProtocolException {
        if (any(key) instanceof Json.Obj inner) {
            return new JsonFields(path + "." + key, inner);
        }
        throw wrongKind(key, "an object");
    }

    public List<Json> array(String key, int maxItems) throws ProtocolException {
        if (!(any(key) instanceof Json.Arr list)) {
            throw wrongKind(key, "an array");
        }
        if (list.items().size() > maxItems) {
            throw ProtocolException.overLimit(
                    "%s: \"%s\" should have at most %d items, has %d",
                    path, key, maxItems, list.items().size());
        }
        return list.items();
    }

    public List<JsonFields> objects(String key, int maxItems) throws ProtocolException {
        List<JsonFields> objects = new ArrayList<>();
        for (Json item : array(key, maxItems)) {
            String place = "%s.%s[%d]".formatted(path, key, objects.size());
            if (!(item instanceof Json.Obj inner)) {
                throw ProtocolException.malformed("%s: should be an object, is %s", place, item.typeName());
            }
            objects.add(new JsonFields(place, inner));
        }
        return objects;
    }

    public List<String> texts(String key, int maxItems) throws ProtocolException {
        List<String> texts = new ArrayList<>();
        for (Json item : array(key, maxItems)) {
            if (!(item instanceof Json.Text text)) {
                throw ProtocolException.malformed(
                        "%s: \"%s\" item %d should be a string, is %s", path, key, texts.size(), item.typeName());
            }
            texts.add(text.value());
        }
        return texts;
    }

    public List<Long> integers(String key, int maxItems, long min, long max) throws ProtocolException {
        List<Long> numbers = new ArrayList<>();
        for (Json item : array(key, maxItems)) {
            if (!(item instanceof Json.Int number) || number.value() < min || number.value() > max) {
                throw ProtocolException.malformed(
                        "%s: \"%s\" item %d should be an integer from %d to %d", path, key, numbers.size(), min, max);
            }
            numbers.add(number.value());
        }
        return numbers;
    }

    /**
     * Closes the object: nothing may be left that was not asked for.
     *
     * @throws ProtocolException if the object has a key that was never asked for
     */
    public void end() throws ProtocolException {
        for (String key : object.members().keySet()) {
            if (!asked.contains(key)) {
                String nearest = NearestWord.to(key, asked)
                        .map(word -> ", the nearest known one is \"" + word + "\"")
                        .orElse("");
                throw ProtocolException.malformed("%s: unknown key \"%s\"%s", path, Excerpt.of(key), nearest);
            }
        }
    }

    /** The same refusal for a value that is well formed but not allowed. */
    public ProtocolException refuse(String key, String why) {
        return ProtocolException.malformed("%s: \"%s\" %s", path, key, why);
    }

    private String hexDigits(String key, int digits) throws ProtocolException {
        String hex = text(key);
        if (hex.length() != digits || !hex.chars().allMatch(c -> (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) {
            throw ProtocolException.malformed(
                    "%s: \"%s\" should be %d lower-case hex digits, is \"%s\"", path, key, digits, Excerpt.of(hex));
        }
        return hex;
    }

    private String presentInstead(String key) {
        Set<String> strangers = new HashSet<>(object.members().keySet());
        strangers.removeAll(asked);
        return NearestWord.to(key, strangers)
                .map(word -> "; is \"" + word + "\" meant?")
                .orElse("");
    }

    private ProtocolException wrongKind(String key, String expected) throws ProtocolException {
        return ProtocolException.malformed("%s: \"%s\" should be %s, is %s", path, key, expected, any(key).typeName());
    }
}
