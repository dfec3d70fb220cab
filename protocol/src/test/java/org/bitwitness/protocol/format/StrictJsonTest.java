package org.bitwitness.protocol.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.bitwitness.protocol.ProtocolException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StrictJsonTest {
    @Test
    void keepsIntegersExact() throws ProtocolException {
        assertEquals(
                "[-9007199254740993,null,9223372036854775807]",
                read("[-9007199254740993, null, 9223372036854775807]").toText());
        assertEquals(
                new Json.Int(-9007199254740993L), items("[-9007199254740993]").getFirst());
    }

    @Test
    void keepsAnIntegerApartFromADecimalOfTheSameValue() throws ProtocolException {
        assertNotEquals(items("[1]"), items("[1.0]"));
        assertEquals("[1.0,1]", read("[1.0,1]").toText());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[NaN]",
                "[Infinity]",
                "[-Infinity]",
                "{\"a\":1,\"a\":1}",
                "{\"x\":{\"a\":1,\"b\":2,\"a\":3}}",
                "[1,]",
                "{\"a\":1,}",
                "{a:1}",
                "['a']",
                "[1] // comment",
                "[1] /* comment */",
                "[1][2]",
                "[1] 2",
                "",
                " ",
                "[",
                "[01]",
                "[+1]",
                "[.5]",
                "[1.]",
                "[0x10]",
                "[-0]",
                "\uFEFF[1]",
                "[\"\\uD800\"]",
                "{\"\\uDC00\":1}",
                "[\"a\nb\"]",
                "[9223372036854775808]",
                "[-9223372036854775809]",
                "[nul]",
                "[true false]",
                "[\"\\x41\"]"
            })
    void refusesWithTheLineWhatIsNotPlainJson(String text) {
        ProtocolException e = assertThrows(ProtocolException.class, () -> read(text));
        assertTrue(e.getMessage().contains("line "), e.getMessage());
    }

    @Test
    void refusesALongString() {
        assertRefusedOnLine(2, "[\n\"" + "x".repeat(20_000_001) + "\"]", 32 << 20);
    }

    @Test
    void refusesALongNumber() {
        assertRefusedOnLine(3, "[\n\n" + "1".repeat(1001) + "]", 1 << 20);
        assertRefusedOnLine(3, "[\n\n0." + "1".repeat(1001) + "]", 1 << 20);
        assertRefusedOnLine(1, "[1e" + "9".repeat(70) + "]", 1 << 20);
    }

    @Test
    void refusesAnExponentThatNoNumberHas() {
        for (String number : new String[] {"1e3368738196", "922337203685477580802e3368738196", "9E-36854775808000"}) {
            assertRefusedOnLine(2, "[\n" + number + "]", 1 << 20);
        }
    }

    @Test
    void refusesDeepNesting() {
        assertRefusedOnLine(1, "[".repeat(1001) + "]".repeat(1001), 1 << 20);
        assertRefusedOnLine(1, "{\"a\":".repeat(1001) + "1" + "}".repeat(1001), 1 << 20);
    }

    @Test
    void refusesALargeDocumentBeforeReadingIt() {
        byte[] large = new byte[(16 << 20) + 1];
        ProtocolException e = assertThrows(ProtocolException.class, () -> StrictJson.object(large, "x.json"));
        assertTrue(e.getMessage().contains("at most 16777216 bytes"), e.getMessage());
    }

    @Test
    void refusesBytesThatAreNotUtf8() {
        for (byte[] bytes : List.of(
                new byte[] {'[', '"', (byte) 0xC0, (byte) 0x80, '"', ']'},
                new byte[] {'[', '"', (byte) 0xED, (byte) 0xA0, (byte) 0x80, '"', ']'},
                new byte[] {'[', '"', (byte) 0xFF, '"', ']'},
                "[1]".getBytes(StandardCharsets.UTF_16LE))) {
            assertThrows(
                    ProtocolException.class, () -> StrictJson.withDefaults().read(bytes, "x.json"));
        }
    }

    @Test
    void readsAnEmojiAndEveryEscape() throws ProtocolException {
        assertEquals(
                List.of(new Json.Text("😀\"\\/\b\f\n\r\té")),
                items("[\"\\uD83D\\uDE00\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"]"));
        assertEquals(
                "[\"😀\\\"\\\\/\\b\\f\\n\\r\\té\\u0001\"]",
                Json.texts(List.of("😀\"\\/\b\f\n\r\té\u0001")).toText());
    }

    @Test
    void sortsKeysByTheirUtf8Bytes() {
        Json.Obj object = Json.object()
                .put("\uD800\uDC00", 1)
                .put("\uFF5E", 2)
                .put("b", Json.object().put("z", 1).put("a", 2).build())
                .build();
        assertEquals(
                "{\"b\":{\"a\":2,\"z\":1},\"\uFF5E\":2,\"\uD800\uDC00\":1}",
                object.sorted().toText());
    }

    @Test
    void writesForPeopleWhatItReadsBack() throws ProtocolException {
        Json.Obj object = Json.object()
                .put("list", Json.integers(1, 2))
                .put("inner", Json.object().put("empty", Json.object().build()).build())
                .put("objects", new Json.Arr(List.of(Json.object().put("a", 0.5).build())))
                .build();
        assertEquals(object, read(object.toPrettyText()));
    }

    @Test
    void namesAnUnknownKeyAndTheNearest() throws ProtocolException {
        JsonFields in = JsonFields.of(
                "config.json", StrictJson.object("{\"lerningRate\":1}".getBytes(StandardCharsets.UTF_8), "x"));
        assertTrue(!in.has("learningRate") && !in.has("steps"));
        ProtocolException e = assertThrows(ProtocolException.class, in::end);
        assertEquals(
                "config.json: unknown key \"lerningRate\", the nearest known one is \"learningRate\"", e.getMessage());
    }

    @Test
    void namesAMissingKeyAndWhatStandsInItsPlace() throws ProtocolException {
        JsonFields in = JsonFields.of("d", StrictJson.object("{\"seeed\":1}".getBytes(StandardCharsets.UTF_8), "x"));
        ProtocolException e = assertThrows(ProtocolException.class, () -> in.any("seed"));
        assertEquals("d: the key \"seed\" is missing; is \"seeed\" meant?", e.getMessage());
        assertEquals(ProtocolException.Kind.MISSING, e.kind());
    }

    private static void assertRefusedOnLine(int line, String text, int maxBytes) {
        StrictJson json = StrictJson.with(StrictJson.Limits.DEFAULT.withMaxBytes(maxBytes));
        ProtocolException e =
                assertThrows(ProtocolException.class, () -> json.read(text.getBytes(StandardCharsets.UTF_8), "x.json"));
        assertTrue(e.getMessage().contains("line " + line), e::getMessage);
    }

    private static Json read(String text) throws ProtocolException {
        return StrictJson.withDefaults().read(text.getBytes(StandardCharsets.UTF_8), "x.json");
    }

    private static List<Json> items(String text) throws ProtocolException {
        return ((Json.Arr) read(text)).items();
    }
}
