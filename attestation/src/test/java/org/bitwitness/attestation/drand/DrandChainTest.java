package org.bitwitness.attestation.drand;

import static org.bitwitness.attestation.Planted.assertRefused;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import org.bitwitness.attestation.AttestationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Round 1000 of quicknet is public: anybody finds it at a drand relay. */
class DrandChainTest {
    private static final String ROUND_1000 =
            "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39";

    @TempDir
    Path folder;

    @Test
    void acceptsRound1000OfQuicknetAndNotAsRound1001() throws Exception {
        byte[] signature = HexFormat.of().parseHex(ROUND_1000);
        DrandChain.QUICKNET.verify(1000, signature);
        assertRefused(
                "is not that of drand network quicknet for round 1001",
                () -> DrandChain.QUICKNET.verify(1001, signature));
    }

    @Test
    void refusesAnotherNetworksSignatureAndPointsOutsideTheSubgroup() throws Exception {
        byte[] own = OwnDrand.sign(1000);
        OwnDrand.chain().verify(1000, own);
        assertRefused("is not that of drand network quicknet", () -> DrandChain.QUICKNET.verify(1000, own));
        byte[] good = HexFormat.of().parseHex(ROUND_1000);
        byte[] negated = good.clone();
        negated[0] ^= 0x20;
        assertRefused("is not that of", () -> DrandChain.QUICKNET.verify(1000, negated));
        byte[] infinity = new byte[DrandChain.SIGNATURE_BYTES];
        infinity[0] = (byte) 0xc0;
        assertRefused("subgroup", () -> DrandChain.QUICKNET.verify(1000, infinity));
        byte[] uncompressed = good.clone();
        uncompressed[0] &= 0x7f;
        assertThrows(AttestationException.class, () -> DrandChain.QUICKNET.verify(1000, uncompressed));
        assertRefused("has 48 bytes, this one has 47", () -> DrandChain.QUICKNET.verify(1000, new byte[47]));
        int refused = 0;
        for (int x = 1; x <= 12; x++) {
            byte[] small = new byte[DrandChain.SIGNATURE_BYTES];
            small[0] = (byte) 0x80;
            small[47] = (byte) x;
            AttestationException e =
                    assertThrows(AttestationException.class, () -> DrandChain.QUICKNET.verify(1000, small));
            refused += e.kind() == AttestationException.Kind.MALFORMED ? 1 : 0;
        }
        assertEquals(12, refused, "small x are off the curve or outside the subgroup, never merely another signature");
    }

    @Test
    void theRoundFollowsFromTheWitnessesTime() throws Exception {
        DrandChain quicknet = DrandChain.QUICKNET;
        assertEquals(1, quicknet.roundAfter(Instant.ofEpochSecond(1_692_803_367L - 30)));
        assertEquals(11, quicknet.roundAfter(Instant.ofEpochSecond(1_692_803_367L)));
        Instant noon = Instant.parse("2026-01-01T12:00:00Z");
        long round = quicknet.roundAfter(noon);
        assertEquals(noon.plusSeconds(30), quicknet.timeOf(round));
        assertRefused("no round follows", () -> quicknet.roundAfter(Instant.EPOCH));
    }

    @Test
    void readsARoundFileAndRefusesAnotherRound() throws Exception {
        Path file = Files.writeString(
                folder.resolve("round.json"),
                "{\"round\":1000,\"randomness\":\"00\",\"signature\":\"" + ROUND_1000 + "\"}");
        assertArrayEquals(
                HexFormat.of().parseHex(ROUND_1000), RoundSource.file(file).signature(DrandChain.QUICKNET, 1000));
        assertRefused("the rule fixes round 1001", () -> RoundSource.file(file).signature(DrandChain.QUICKNET, 1001));
        AttestationException nobody = assertThrows(
                AttestationException.class,
                () -> RoundSource.relays(List.of(URI.create("http://127.0.0.1:1")))
                        .signature(DrandChain.QUICKNET, 5));
        assertEquals(AttestationException.Kind.INCONCLUSIVE, nobody.kind());
    }

    @Test
    void oneNetworkIsInForceAtATimeSoRotationGivesNobodyAChoice() throws Exception {
        Path drand = Files.createDirectory(folder.resolve("drand"));
        Instant change = Instant.parse("2026-06-01T00:00:00Z");
        Files.writeString(
                drand.resolve("old.json"),
                OwnDrand.info().replace("\"period\":3", "\"period\":3,\"until\":\"" + change + "\""));
        Files.writeString(drand.resolve("new.json"), OwnDrand.info().replace("\"period\":3", "\"period\":30"));
        DrandChains chains = DrandChains.load(drand);
        assertEquals("old", chains.inForce(change.minusSeconds(1)).name());
        assertEquals("new", chains.inForce(change).name());
        assertEquals(30, chains.inForce(change).periodSeconds());
        Files.writeString(drand.resolve("third.json"), OwnDrand.info());
        assertRefused("different ends", () -> DrandChains.load(drand));
        assertEquals(
                "quicknet",
                DrandChains.load(folder.resolve("none")).inForce(change).name());
    }
}
