package org.bitwitness.protocol.bytes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProtocolException;
import org.junit.jupiter.api.Test;

class CanonicalBytesTest {
    @Test
    void spellsEveryKindOfFieldAsDocumented() {
        byte[] encoded = CanonicalEncoder.of("x")
                .u64(258)
                .text("é")
                .f64(1.0)
                .f32(-0.0f)
                .absent()
                .list(List.of(new byte[] {7}, new byte[0]))
                .u64List(5)
                .packed32(-1, 1)
                .flag(true)
                .toBytes();
        String expected = "0000000f"
                + HexFormat.of().formatHex("bitwitness/x/v1".getBytes(java.nio.charset.StandardCharsets.UTF_8))
                + "00000008" + "0000000000000102"
                + "00000002" + "c3a9"
                + "00000008" + "3ff0000000000000"
                + "00000004" + "80000000"
                + "ffffffff"
                + "0000000d" + "00000002" + "00000001" + "07" + "00000000"
                + "00000010" + "00000001" + "00000008" + "0000000000000005"
                + "00000008" + "ffffffff" + "00000001"
                + "00000008" + "0000000000000001";
        assertEquals(expected, HexFormat.of().formatHex(encoded));
    }

    @Test
    void readsBackEveryKindOfField() throws ProtocolException {
        var digest = Hashing.sha256("d");
        byte[] encoded = CanonicalEncoder.of("x")
                .u64(Long.MAX_VALUE)
                .text("é")
                .f64(Double.MIN_VALUE)
                .f32(Float.NaN)
                .digest(digest)
                .digest(Optional.empty())
                .list(List.of(new byte[] {7}, new byte[0]))
                .u64List(5, 6)
                .packed32(-1, 1)
                .flag(false)
                .toBytes();
        CanonicalDecoder in = CanonicalDecoder.open(encoded, "x");
        assertEquals(Long.MAX_VALUE, in.u64("a"));
        assertEquals("é", in.text("b", 10));
        assertEquals(Double.MIN_VALUE, in.f64("c"));
        assertTrue(Float.isNaN(in.f32("d")));
        assertEquals(digest, in.digest("e"));
        assertEquals(Optional.empty(), in.optionalDigest("f"));
        List<byte[]> items = in.list("g", 2);
        assertArrayEquals(new byte[] {7}, items.getFirst());
        assertArrayEquals(new long[] {5, 6}, in.u64List("h", 2));
        assertArrayEquals(new int[] {-1, 1}, in.packed32("i", 2));
        assertTrue(!in.flag("j"));
        in.end();
    }

    @Test
    void tellsFieldsApartThatHoldTheSameBytesTogether() {
        assertNotEquals(
                CanonicalEncoder.of("x").text("ab").text("c").hash(),
                CanonicalEncoder.of("x").text("a").text("bc").hash());
        assertNotEquals(
                CanonicalEncoder.of("x").text("").hash(),
                CanonicalEncoder.of("x").absent().hash());
        assertNotEquals(
                CanonicalEncoder.of("x").u64(1).hash(),
                CanonicalEncoder.of("y").u64(1).hash());
    }

    @Test
    void refusesBytesThatAreCutOffAtAnyPlace() {
        byte[] whole = CanonicalEncoder.of("x").u64(3).text("abc").toBytes();
        for (int size = 0; size < whole.length; size++) {
            byte[] cut = java.util.Arrays.copyOf(whole, size);
            assertThrows(ProtocolException.class, () -> readPair(cut), "size " + size);
        }
    }

    @Test
    void refusesEveryExtraByte() {
        byte[] whole = CanonicalEncoder.of("x").u64(3).text("abc").toBytes();
        byte[] longer = java.util.Arrays.copyOf(whole, whole.length + 1);
        ProtocolException e = assertThrows(ProtocolException.class, () -> readPair(longer));
        assertEquals("x: 1 bytes after the last field", e.getMessage());
    }

    @Test
    void refusesAnotherDomainAndAnotherVersion() {
        ProtocolException e = assertThrows(
                ProtocolException.class,
                () -> CanonicalDecoder.open(CanonicalEncoder.of("y").toBytes(), "x"));
        assertTrue(
                e.getMessage().contains("\"bitwitness/x/v1\"") && e.getMessage().contains("\"bitwitness/y/v1\""));
    }

    @Test
    void refusesNumbersOfAnotherWidthAndCountsOverTheirLimit() throws ProtocolException {
        List<byte[]> bad = new ArrayList<>();
        bad.add(CanonicalEncoder.of("x").bytes(new byte[7]).toBytes());
        bad.add(CanonicalEncoder.of("x").bytes(new byte[9]).toBytes());
        bad.add(CanonicalEncoder.of("x").absent().toBytes());
        bad.add(CanonicalEncoder.of("x")
                .bytes(HexFormat.of().parseHex("8000000000000000"))
                .toBytes());
        for (byte[] bytes : bad) {
            CanonicalDecoder in = CanonicalDecoder.open(bytes, "x");
            assertThrows(ProtocolException.class, () -> in.u64("n"));
        }
        CanonicalDecoder over =
                CanonicalDecoder.open(CanonicalEncoder.of("x").u64(2).toBytes(), "x");
        assertThrows(ProtocolException.class, () -> over.flag("n"));
        CanonicalDecoder many =
                CanonicalDecoder.open(CanonicalEncoder.of("x").u64List(1, 2, 3).toBytes(), "x");
        assertThrows(ProtocolException.class, () -> many.u64List("n", 2));
    }

    @Test
    void refusesAListThatClaimsABillionItemsWithoutMakingRoom() throws ProtocolException {
        byte[] lying = CanonicalEncoder.of("x")
                .bytes(HexFormat.of().parseHex("3b9aca00"))
                .toBytes();
        CanonicalDecoder in = CanonicalDecoder.open(lying, "x");
        assertThrows(ProtocolException.class, () -> in.list("items", 1_000_000_000));
    }

    @Test
    void refusesTextThatIsNotUtf8() throws ProtocolException {
        CanonicalDecoder in = CanonicalDecoder.open(
                CanonicalEncoder.of("x")
                        .bytes(new byte[] {(byte) 0xC0, (byte) 0x80})
                        .toBytes(),
                "x");
        assertThrows(ProtocolException.class, () -> in.text("t", 10));
    }

    @Test
    void refusesToWriteANegativeCount() {
        assertThrows(
                IllegalArgumentException.class, () -> CanonicalEncoder.of("x").u64(-1));
        assertThrows(
                IllegalArgumentException.class, () -> CanonicalEncoder.of("x").u64List(1, -1));
    }

    private static void readPair(byte[] bytes) throws ProtocolException {
        CanonicalDecoder in = CanonicalDecoder.open(bytes, "x");
        in.u64("n");
        in.text("t", 10);
        in.end();
    }
}
