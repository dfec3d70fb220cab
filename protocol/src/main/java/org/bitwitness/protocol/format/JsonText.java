package org.bitwitness.protocol.format;

import java.util.List;
import java.util.Map;

/** Writes JSON text. Strings escape only what JSON requires; everything else is itself. */
final class JsonText {
    private JsonText() {}

    static void append(StringBuilder out, Json value) {
        switch (value) {
            case Json.Obj object -> {
                out.append('{');
                String separator = "";
                for (Map.Entry<String, Json> member : object.members().entrySet()) {
                    out.append(separator);
                    appendString(out, member.getKey());
                    out.append(':');
                    append(out, member.getValue());
                    separator = ",";
                }
                out.append('}');
            }
            case Json.Arr array -> {
                out.append('[');
                String separator = "";
                for (Json item : array.items()) {
                    out.append(separator);
                    append(out, item);
                    separator = ",";
                }
                out.append(']');
            }
            case Json.Text text -> appendString(out, text.value());
            case Json.Int number -> out.append(number.value());
            case Json.Decimal number -> out.append(number.value());
            case Json.Bool truth -> out.append(truth.value());
            case Json.Null unused -> out.append("null");
        }
    }

    static void appendPretty(StringBuilder out, Json value, int level) {
        if (value instanceof Json.Obj object && !object.members().isEmpty()) {
            out.append('{');
            String separator = "\n";
            for (Map.Entry<String, Json> member : object.members().entrySet()) {
                out.append(separator).repeat("  ", level + 1);
                appendString(out, member.getKey());
                out.append(": ");
                appendPretty(out, member.getValue(), level + 1);
                separator = ",\n";
            }
            out.append('\n').repeat("  ", level).append('}');
        } else if (value instanceof Json.Arr array && holdsContainers(array.items())) {
            out.append('[');
            String separator = "\n";
            for (Json item : array.items()) {
                out.append(separator).repeat("  ", level + 1);
                appendPretty(out, item, level + 1);
                separator = ",\n";
            }
            out.append('\n').repeat("  ", level).append(']');
        } else {
            append(out, value);
        }
    }

    private static boolean holdsContainers(List<Json> items) {
        return items.stream().anyMatch(item -> item instanceof Json.Obj || item instanceof Json.Arr);
    }

    private static void appendString(StringBuilder out, String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                case '\b' -> out.append("\\b");
                case '\f' -> out.append("\\f");
                default -> {
                    if (c < 0x20) {
                        out.append("\\u00")
                                .append(Character.forDigit(c >> 4, 16))
                                .append(Character.forDigit(c & 15, 16));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }
}
