package org.bitwitness.protocol.audit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.bitwitness.protocol.ChainHash;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.bytes.CanonicalEncoder;
import org.junit.jupiter.api.Test;

class ChallengeSeedTest {
    private static final Sha256 ROOT = Hashing.sha256("root");
    private static final Sha256 LEAF = Hashing.sha256("leaf");
    private static final ChainHash CHAIN = new ChainHash(Hashing.sha256("chain"));

    @Test
    void isAnotherOneWhenAnythingInItIs() {
        Beacon drand = new Beacon.Drand(1000, "b446");
        List<ChallengeSeed> seeds = List.of(
                new ChallengeSeed("log.example/a", 9, ROOT, 3, LEAF, CHAIN, drand),
                new ChallengeSeed("log.example/b", 9, ROOT, 3, LEAF, CHAIN, drand),
                new ChallengeSeed("log.example/a", 10, ROOT, 3, LEAF, CHAIN, drand),
                new ChallengeSeed("log.example/a", 9, LEAF, 3, LEAF, CHAIN, drand),
                new ChallengeSeed("log.example/a", 9, ROOT, 4, LEAF, CHAIN, drand),
                new ChallengeSeed("log.example/a", 9, ROOT, 3, ROOT, CHAIN, drand),
                new ChallengeSeed("log.example/a", 9, ROOT, 3, LEAF, new ChainHash(ROOT), drand),
                new ChallengeSeed("log.example/a", 9, ROOT, 3, LEAF, CHAIN, new Beacon.Drand(1001, "b446")),
                new ChallengeSeed("log.example/a", 9, ROOT, 3, LEAF, CHAIN, new Beacon.Drand(1000, "b447")),
                new ChallengeSeed("log.example/a", 9, ROOT, 3, LEAF, CHAIN, new Beacon.WitnessVrf(ROOT)),
                new ChallengeSeed("log.example/a", 9, ROOT, 3, LEAF, CHAIN, new Beacon.VrfOnly()));
        Set<Sha256> distinct = new HashSet<>();
        seeds.forEach(seed -> distinct.add(Hashing.sha256(seed.alpha())));
        assertEquals(seeds.size(), distinct.size());
    }

    @Test
    void spellsOutTheFieldsOfTheWitnessMode() {
        Sha256 beacon = Hashing.sha256("beacon");
        byte[] expected = CanonicalEncoder.of("seed")
                .text("log.example/a")
                .u64(9)
                .digest(ROOT)
                .u64(3)
                .digest(LEAF)
                .digest(CHAIN.digest())
                .text("witness-vrf")
                .digest(beacon)
                .toBytes();
        ChallengeSeed seed = new ChallengeSeed("log.example/a", 9, ROOT, 3, LEAF, CHAIN, new Beacon.WitnessVrf(beacon));
        assertEquals(Hashing.sha256(expected), Hashing.sha256(seed.alpha()));
    }

    @Test
    void combinesWitnessesInTheOrderOfTheirNames() {
        Map<String, Sha256> some = new TreeMap<>(Map.of("w1", ROOT, "w2", LEAF));
        Map<String, Sha256> reversed = new TreeMap<>(java.util.Comparator.reverseOrder());
        reversed.putAll(some);
        assertEquals(Beacon.ofWitnesses(some), Beacon.ofWitnesses(reversed));
        assertNotEquals(Beacon.ofWitnesses(some), Beacon.ofWitnesses(Map.of("w1", LEAF, "w2", ROOT)));
        assertNotEquals(Beacon.ofWitnesses(some), Beacon.ofWitnesses(Map.of("w1", ROOT)));
        assertThrows(IllegalArgumentException.class, () -> Beacon.ofWitnesses(Map.of()));
    }

    @Test
    void refusesACommitmentOutsideTheTree() {
        assertThrows(
                IllegalArgumentException.class,
                () -> new ChallengeSeed("log", 3, ROOT, 3, LEAF, CHAIN, new Beacon.VrfOnly()));
    }
}
