package org.bitwitness.protocol.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.record.AggregationSpec;
import org.bitwitness.protocol.record.Averaging;
import org.bitwitness.protocol.record.DataSpec;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.InitialSpec;
import org.bitwitness.protocol.record.MixtureSpec;
import org.bitwitness.protocol.record.OptimizerSpec;
import org.bitwitness.protocol.record.Reduction;
import org.bitwitness.protocol.record.RowSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class DescriptorJsonTest {
    private static final Descriptor DESCRIPTOR = SmallRecording.descriptor();

    @Test
    void readsBackWhatItWrote() throws ProtocolException {
        assertEquals(DESCRIPTOR, DescriptorJson.read(DescriptorJson.write(DESCRIPTOR)));
        Descriptor external = new Descriptor(
                DESCRIPTOR.profile(),
                -1,
                DESCRIPTOR.model(),
                DESCRIPTOR.optimizer(),
                DESCRIPTOR.schedule(),
                DESCRIPTOR.dropout(),
                DESCRIPTOR.data(),
                DESCRIPTOR.tokenizer(),
                new InitialSpec.External(new StateRoot(Hashing.sha256("s"))),
                DESCRIPTOR.aggregation(),
                DESCRIPTOR.layout(),
                DESCRIPTOR.trace(),
                DESCRIPTOR.storage());
        assertEquals(external, DescriptorJson.read(DescriptorJson.write(external)));
    }

    @Test
    void readsBackEveryOptimizerAndReduction() throws ProtocolException {
        for (Reduction rule : List.of(new Reduction.Median(), new Reduction.MultiKrum(0, 2), Reduction.EXACT)) {
            Descriptor other = new Descriptor(
                    DESCRIPTOR.profile(),
                    DESCRIPTOR.seed(),
                    DESCRIPTOR.model(),
                    new OptimizerSpec.Sgd(0.9, 0, true, 0.01, Double.POSITIVE_INFINITY),
                    DESCRIPTOR.schedule(),
                    DESCRIPTOR.dropout(),
                    DESCRIPTOR.data(),
                    DESCRIPTOR.tokenizer(),
                    DESCRIPTOR.initial(),
                    new AggregationSpec(Averaging.WORKERS, rule, AggregationSpec.NO_TREE),
                    DESCRIPTOR.layout(),
                    DESCRIPTOR.trace(),
                    DESCRIPTOR.storage());
            assertEquals(other, DescriptorJson.read(DescriptorJson.write(other)));
        }
    }

    @Test
    void aMixtureIsReadBackAndAnotherRuleForItIsRefused() throws ProtocolException {
        MixtureSpec mixture =
                new MixtureSpec(List.of(new MixtureSpec.Part("wiki/", 3), new MixtureSpec.Part("a\"", 1)));
        DataSpec plain = DESCRIPTOR.data();
        Descriptor mixed = DESCRIPTOR.with(new DataSpec(
                plain.datasetRoot(),
                plain.contextLength(),
                plain.microBatches(),
                plain.sequencesPerMicroBatch(),
                plain.seed(),
                Optional.of(mixture)));
        byte[] written = DescriptorJson.write(mixed);
        assertEquals(mixed, DescriptorJson.read(written));
        String text = new String(written, StandardCharsets.UTF_8);
        assertTrue(text.contains("\"mixture\":{\"order\":\"feistel-period-1\",\"parts\":"
                + "[{\"documents\":\"wiki/\",\"weight\":3},{\"documents\":\"a\\\"\",\"weight\":1}]}"));
        for (String wrong : List.of(
                text.replace("feistel-period-1", "feistel-period-2"),
                text.replace("\"weight\":3", "\"weight\":0"),
                text.replace("\"weight\":3", "\"weight\":1048577"),
                text.replace("\"documents\":\"wiki/\"", "\"documents\":\"a\""),
                text.replace(",\"weight\":3", ""),
                text.replace("\"order\":\"feistel-period-1\",", ""))) {
            assertThrows(
                    ProtocolException.class, () -> DescriptorJson.read(wrong.getBytes(StandardCharsets.UTF_8)), wrong);
        }
    }

    @Test
    void rowsAreNamedOnlyWhereTheyDoNotRunOn() throws ProtocolException {
        DataSpec plain = DESCRIPTOR.data();
        String usual = new String(DescriptorJson.write(DESCRIPTOR), StandardCharsets.UTF_8);
        assertFalse(usual.contains("stride") || usual.contains("targets"), usual);
        Descriptor labelled = DESCRIPTOR.with(new DataSpec(
                plain.datasetRoot(),
                plain.contextLength(),
                plain.microBatches(),
                plain.sequencesPerMicroBatch(),
                plain.seed(),
                new RowSpec(plain.contextLength() + 1, RowSpec.Targets.LAST),
                Optional.empty()));
        byte[] written = DescriptorJson.write(labelled);
        assertEquals(labelled, DescriptorJson.read(written));
        String text = new String(written, StandardCharsets.UTF_8);
        String stride = "\"stride\":" + (plain.contextLength() + 1);
        assertTrue(text.contains(stride) && text.contains("\"targets\":\"last\""), text);
        for (String wrong : List.of(
                text.replace(stride, "\"stride\":0"),
                text.replace(stride, "\"stride\":" + plain.contextLength()),
                text.replace("\"last\"", "\"each\""),
                text.replace("\"last\"", "\"first\""))) {
            assertThrows(
                    ProtocolException.class, () -> DescriptorJson.read(wrong.getBytes(StandardCharsets.UTF_8)), wrong);
        }
    }

    /** Every key at every level, as a path of keys. */
    static List<List<String>> keys() throws ProtocolException {
        List<List<String>> paths = new ArrayList<>();
        collect(document(), List.of(), paths);
        return paths;
    }

    @ParameterizedTest
    @MethodSource("keys")
    void refusesAMissingKeyByItsName(List<String> path) throws ProtocolException {
        ProtocolException e = assertThrows(
                ProtocolException.class,
                () -> DescriptorJson.read(Json.canonicalBytes(changed(document(), path, "", new Json.Null()))));
        assertTrue(e.getMessage().contains("\"" + path.getLast() + "\" is missing"), e.getMessage());
    }

    @ParameterizedTest
    @MethodSource("keys")
    void refusesARenamedKeyByItsName(List<String> path) throws ProtocolException {
        Json.Obj renamed = changed(document(), path, path.getLast() + "X", new Json.Null());
        ProtocolException e =
                assertThrows(ProtocolException.class, () -> DescriptorJson.read(Json.canonicalBytes(renamed)));
        assertTrue(e.getMessage().contains(path.getLast()), e.getMessage());
    }

    @ParameterizedTest
    @MethodSource("keys")
    void refusesAValueOfAnotherKindByTheNameOfItsKey(List<String> path) throws ProtocolException {
        Json.Obj wrong = changed(document(), path, path.getLast(), new Json.Null());
        ProtocolException e =
                assertThrows(ProtocolException.class, () -> DescriptorJson.read(Json.canonicalBytes(wrong)));
        assertTrue(e.getMessage().contains("\"" + path.getLast() + "\""), e.getMessage());
    }

    @Test
    void refusesAnUnknownKeyAtEveryLevelWithTheNearest() throws ProtocolException {
        Map<String, Json> members = new LinkedHashMap<>(document().members());
        members.put("tokeniser", new Json.Int(1));
        ProtocolException e = assertThrows(
                ProtocolException.class, () -> DescriptorJson.read(Json.canonicalBytes(new Json.Obj(members))));
        assertTrue(e.getMessage().contains("unknown key \"tokeniser\", the nearest known one is \"tokenizer\""));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '#',
            value = {
                "\"version\":1|\"version\":2|known here is 1",
                "\"heads\":2|\"heads\":3|kvHeads",
                "\"kind\":\"cosine\"|\"kind\":\"cosinus\"|should be one of",
                "\"layout\":[0,1]|\"layout\":[0,0]|twice",
                "\"layout\":[0,1]|\"layout\":[0,70000]|65535",
                "\"tree\":\"ascending\"|\"tree\":\"[0,2]\"|position",
                "\"contextLength\":4|\"contextLength\":400|over model.context",
                "\"vocab\":257|\"vocab\":2.57|an integer",
                "\"vocab\":257|\"vocab\":0|from 1",
                "\"threshold\":3865470566|\"threshold\":3865470567|threshold",
            })
    void refusesValuesThatCannotBe(String from, String to, String reason) {
        String text = new String(DescriptorJson.write(DESCRIPTOR), StandardCharsets.UTF_8);
        assertTrue(text.contains(from), text);
        ProtocolException e = assertThrows(
                ProtocolException.class,
                () -> DescriptorJson.read(text.replace(from, to).getBytes(StandardCharsets.UTF_8)));
        assertTrue(e.getMessage().contains(reason), e.getMessage());
    }

    @Test
    void refusesAnotherSpellingOfTheSameDescriptor() {
        String text = new String(DescriptorJson.write(DESCRIPTOR), StandardCharsets.UTF_8);
        for (String other :
                List.of(text + "\n", " " + text, text.replace("gpt2", "gpt\\u0032"), text.replace(",", ", "))) {
            ProtocolException e = assertThrows(
                    ProtocolException.class, () -> DescriptorJson.read(other.getBytes(StandardCharsets.UTF_8)));
            assertTrue(e.getMessage().contains("not the one spelling"), e.getMessage());
        }
    }

    private static Json.Obj document() throws ProtocolException {
        return StrictJson.object(DescriptorJson.write(DESCRIPTOR), "descriptor.json");
    }

    private static void collect(Json.Obj object, List<String> prefix, List<List<String>> paths) {
        object.members().forEach((key, value) -> {
            List<String> path = new ArrayList<>(prefix);
            path.add(key);
            paths.add(path);
            if (value instanceof Json.Obj inner) {
                collect(inner, path, paths);
            }
        });
    }

    /** Without the key (when {@code name} is empty), with the key renamed, or with another value. */
    private static Json.Obj changed(Json.Obj object, List<String> path, String name, Json value) {
        Map<String, Json> members = new LinkedHashMap<>();
        object.members().forEach((key, old) -> {
            if (!key.equals(path.getFirst())) {
                members.put(key, old);
            } else if (path.size() > 1) {
                members.put(key, changed((Json.Obj) old, path.subList(1, path.size()), name, value));
            } else if (!name.isEmpty()) {
                members.put(name, name.equals(key) ? value : old);
            }
        });
        return new Json.Obj(members);
    }
}
