package org.bitwitness.protocol.format;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.bitwitness.protocol.tensor.Utf8Order;

/**
 * A JSON value that keeps what JSON keeps: the order of members, and whether a number was written as an integer. Read
 * by {@link StrictJson}, taken apart by {@link JsonFields}.
 */
public sealed interface Json {
    /** An object; members stay in the order in which they were put or read. */
    record Obj(Map<String, Json> members) implements Json {
        public Obj {
            members = Collections.unmodifiableMap(new LinkedHashMap<>(members));
        }

        /** The same members, and those of members, by the UTF-8 bytes of their keys. */
        public Obj sorted() {
            Map<String, Json> ordered = new TreeMap<>(Utf8Order.COMPARATOR);
            members.forEach((key, value) -> ordered.put(key, sortedValue(value)));
            return new Obj(ordered);
        }

        private static Json sortedValue(Json value) {
            return switch (value) {
                case Obj inner -> inner.sorted();
                case Arr list ->
                    new Arr(list.items().stream().map(Obj::sortedValue).toList());
                case Text text -> text;
                case Int number -> number;
                case Decimal number -> number;
                case Bool truth -> truth;
                case Null none -> none;
            };
        }
    }

    /** An array. */
    record Arr(List<Json> items) implements Json {
        public Arr {
            items = List.copyOf(items);
        }
    }

    /** A string. */
    record Text(String value) implements Json {}

    /** A number written without fraction and exponent. */
    record Int(long value) implements Json {}

    /** A number written with a fraction or an exponent; {@code 1.0} is not {@code 1}. */
    record Decimal(BigDecimal value) implements Json {}

    /** True or false. */
    record Bool(boolean value) implements Json {}

    /** The word null, which is not the same as a member that is not there. */
    record Null() implements Json {}

    /** What this value is, for messages. */
    default String typeName() {
        return switch (this) {
            case Obj unused -> "an object";
            case Arr unused -> "an array";
            case Text unused -> "a string";
            case Int unused -> "an integer";
            case Decimal unused -> "a number with a fraction or exponent";
            case Bool unused -> "a boolean";
            case Null unused -> "null";
        };
    }

    /** Compact text, members in their order. */
    default String toText() {
        StringBuilder out = new StringBuilder();
        JsonText.append(out, this);
        return out.toString();
    }

    /** UTF-8 of the compact text with sorted keys: the one spelling of files that are hashed. */
    static byte[] canonicalBytes(Obj value) {
        return value.sorted().toText().getBytes(StandardCharsets.UTF_8);
    }

    /** Two spaces a level, members in their order: for people. */
    default String toPrettyText() {
        StringBuilder out = new StringBuilder();
        JsonText.appendPretty(out, this, 0);
        return out.toString();
    }

    static Builder object() {
        return new Builder();
    }

    static Json text(String value) {
        return new Text(value);
    }

    static Json integer(long value) {
        return new Int(value);
    }

    static Arr texts(List<String> values) {
        return new Arr(values.stream().map(Json::text).toList());
    }

    static Arr integers(long... values) {
        return new Arr(java.util.Arrays.stream(values).mapToObj(Json::integer).toList());
    }

    /** Puts members in order; a key twice is our own bug. */
    final class Builder {
        private final Map<String, Json> members = new LinkedHashMap<>();

        private Builder() {}

        public Builder put(String key, Json value) {
            if (members.put(key, value) != null) {
                throw new IllegalArgumentException("key \"" + key + "\" twice");
            }
            return this;
        }

        public Builder put(String key, String value) {
            return put(key, new Text(value));
        }

        public Builder put(String key, long value) {
            return put(key, new Int(value));
        }

        public Builder put(String key, boolean value) {
            return put(key, new Bool(value));
        }

        /** A finite number for people to read; never in a file that is hashed. */
        public Builder put(String key, double value) {
            if (!Double.isFinite(value)) {
                throw new IllegalArgumentException("JSON has no " + value + " (key \"" + key + "\")");
            }
            return put(key, new Decimal(new BigDecimal(Double.toString(value))));
        }

        public Obj build() {
            return new Obj(members);
        }
    }
}
