package org.bitwitness.attestation;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.bitwitness.attestation.bundle.SigstoreBundle;
import org.bitwitness.attestation.bundle.TlogEntry;
import org.bitwitness.attestation.drand.DrandChain;
import org.bitwitness.attestation.drand.RoundSource;
import org.bitwitness.attestation.dsse.DsseEnvelope;
import org.bitwitness.attestation.dsse.LogEntry;
import org.bitwitness.attestation.keys.EncryptedPem;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.attestation.log.LogReceipt;
import org.bitwitness.attestation.log.LogTestKit;
import org.bitwitness.attestation.log.TlogProof;
import org.bitwitness.attestation.monitor.MonitorState;
import org.bitwitness.attestation.note.Checkpoint;
import org.bitwitness.attestation.note.NoteVerifier;
import org.bitwitness.attestation.note.SignedNote;
import org.bitwitness.attestation.statement.AuditChallengeStatement;
import org.bitwitness.attestation.statement.AuditVerdictStatement;
import org.bitwitness.attestation.statement.DrillCommitmentStatement;
import org.bitwitness.attestation.statement.DrillOpeningStatement;
import org.bitwitness.attestation.statement.KeyEventStatement;
import org.bitwitness.attestation.statement.Samples;
import org.bitwitness.attestation.statement.Statement;
import org.bitwitness.attestation.statement.TrainingCommitmentStatement;
import org.bitwitness.attestation.trust.WitnessPolicy;
import org.bitwitness.attestation.verify.AuditWorld;
import org.bitwitness.attestation.vrf.VrfProof;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.merkle.InclusionProof;
import org.bitwitness.protocol.record.BeaconMode;
import org.bitwitness.protocol.record.Commitment;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each parser is fed a good text with bytes changed, cut out, repeated and spliced. It may read it or refuse it with an
 * {@link AttestationException} that has a message; any other exception is a defect. {@code -Dtest.fuzz.seconds=600} goes
 * on for ten minutes a parser.
 */
class FuzzTest {
    private static final long SEED = Long.getLong("test.seed", 20260101L);
    private static final int EVERYDAY_ROUNDS = 1500;
    private static final int SECONDS = Integer.getInteger("test.fuzz.seconds", 30);
    private static final Commitment OPEN = Samples.open("a", BeaconMode.WITNESS_VRF);
    private static final Commitment LAST = Samples.last(OPEN, 10);

    private interface Parser {
        void parse(byte[] bytes) throws AttestationException;
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Target(Parser parser, byte[] good) {}

    private static final Map<String, Target> TARGETS = targets();

    static Stream<String> names() {
        return TARGETS.keySet().stream();
    }

    @ParameterizedTest
    @MethodSource("names")
    void readsOrRefusesWhateverItIsFed(String name) throws Exception {
        Target target = target(name);
        target.parser().parse(target.good());
        Random random = new Random(SEED);
        int refused = 0;
        int rounds = 0;
        long end = System.nanoTime() + 1_000_000_000L;
        while (rounds < EVERYDAY_ROUNDS && System.nanoTime() < end) {
            rounds++;
            refused += feed(name, target, random) ? 0 : 1;
        }
        assertTrue(refused > rounds / 10, "a parser that accepts nearly everything checks nothing: " + refused);
    }

    @ParameterizedTest
    @MethodSource("names")
    @Tag("slow")
    void readsOrRefusesForLong(String name) {
        Target target = target(name);
        long seed = new SecureRandom().nextLong();
        Random random = new Random(seed);
        System.out.println(name + " seed " + seed);
        long end = System.nanoTime() + SECONDS * 1_000_000_000L;
        while (System.nanoTime() < end) {
            feed(name, target, random);
        }
    }

    private static Target target(String name) {
        Target target = TARGETS.get(name);
        if (target == null) {
            throw new IllegalArgumentException(name);
        }
        return target;
    }

    private static boolean feed(String name, Target target, Random random) {
        byte[] input = mutated(target.good(), random);
        try {
            target.parser().parse(input);
            return true;
        } catch (AttestationException refused) {
            assertTrue(!refused.getMessage().isBlank() && refused.getMessage().length() < 20_000, name);
            return false;
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError defect) {
            throw new AssertionError(
                    "%s: %s on %s".formatted(name, defect, HexFormat.of().formatHex(input)), defect);
        }
    }

    /** One to four changes; lengths and digits are hit as often as anything else. */
    private static byte[] mutated(byte[] good, Random random) {
        byte[] bytes = good.clone();
        int changes = 1 + random.nextInt(4);
        for (int i = 0; i < changes && bytes.length > 0; i++) {
            int at = random.nextInt(bytes.length);
            int length = Math.min(bytes.length - at, 1 + random.nextInt(16));
            switch (random.nextInt(7)) {
                case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                case 1 -> bytes[at] = (byte) random.nextInt(256);
                case 2 -> bytes = splice(bytes, at, length, new byte[0]);
                case 3 -> bytes = splice(bytes, at, 0, Arrays.copyOfRange(bytes, at, at + length));
                case 4 -> bytes = Arrays.copyOf(bytes, at);
                case 5 -> {
                    int from = random.nextInt(good.length);
                    bytes = splice(bytes, at, length, Arrays.copyOfRange(good, from, Math.min(good.length, from + 40)));
                }
                default -> {
                    List<String> words =
                            List.of("0", "-1", "9223372036854775808", "null", "\"", "\u0000", "{", "\n\n", "é");
                    byte[] word = words.get(random.nextInt(words.size())).getBytes(StandardCharsets.UTF_8);
                    bytes = splice(bytes, at, random.nextInt(2), word);
                }
            }
        }
        return bytes;
    }

    private static byte[] splice(byte[] bytes, int at, int removed, byte[] put) {
        byte[] out = new byte[bytes.length - removed + put.length];
        System.arraycopy(bytes, 0, out, 0, at);
        System.arraycopy(put, 0, out, at, put.length);
        System.arraycopy(bytes, at + removed, out, at + put.length, bytes.length - at - removed);
        return out;
    }

    private static Map<String, Target> targets() {
        try {
            Map<String, Target> all = new LinkedHashMap<>();
            SigningKey key = Planted.key(7);
            SignedNote note = note();
            add(all, "note", SignedNote::parse, note.toString());
            add(all, "checkpoint", bytes -> Checkpoint.parse(text(bytes)), note.text());
            add(
                    all,
                    "vkey",
                    bytes -> NoteVerifier.parse(text(bytes)),
                    LogTestKit.logKey().verifier().vkey());
            add(all, "policy", WitnessPolicy::parse, policy());
            add(
                    all,
                    "public key",
                    bytes -> VerifyingKey.ofPem(text(bytes)),
                    key.verifyingKey().pem());
            add(all, "private key", bytes -> SigningKey.ofPem(text(bytes)), key.pem());
            DsseEnvelope envelope =
                    new TrainingCommitmentStatement(OPEN).toStatement().sign(key);
            add(all, "envelope", DsseEnvelope::parse, envelope.toJson().toText());
            LogEntry entry = LogEntry.ofDsse(envelope, key.verifyingKey());
            all.put("leaf", new Target(LogEntry::parse, entry.leaf()));
            LogReceipt receipt = new LogReceipt(new InclusionProof(0, 1, List.of()), note, entry.leaf());
            add(all, "receipt", LogReceipt::parse, receipt.toJson().toText());
            add(all, "tlog-proof", TlogProof::parse, TlogProof.of(receipt).text());
            SigstoreBundle bundle = SigstoreBundle.of(
                    key.verifyingKey(),
                    envelope,
                    Optional.of(TlogEntry.of(LogTestKit.logKey().verifier(), receipt)));
            add(all, "bundle", SigstoreBundle::parse, bundle.toJson().toText());
            add(all, "vrf proof", bytes -> VrfProof.ofHex(text(bytes)), "02" + "11".repeat(80));
            statements(all, key);
            all.put("monitor state", new Target(MonitorState::parse, state(note)));
            all.put("drand round", new Target(FuzzTest::round, ROUND.getBytes(StandardCharsets.UTF_8)));
            all.put(
                    "drand signature",
                    new Target(FuzzTest::signature, HexFormat.of().parseHex(SIGNATURE)));
            return all;
        } catch (AttestationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static final String SIGNATURE =
            "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39";
    private static final String ROUND = "{\"round\":1000,\"randomness\":\"00\",\"signature\":\"" + SIGNATURE + "\"}";

    private static void round(byte[] bytes) throws AttestationException {
        RoundSource.parse(bytes, 1000, "round");
    }

    /** Nearly everything is refused before the pairing, which takes long. */
    private static void signature(byte[] bytes) throws AttestationException {
        DrandChain.QUICKNET.verify(1000, bytes);
    }

    private static void statements(Map<String, Target> all, SigningKey key) {
        add(
                all,
                "commitment",
                bytes -> TrainingCommitmentStatement.of(Statement.parse(bytes)),
                text(new TrainingCommitmentStatement(LAST).toStatement().toBytes()));
        add(
                all,
                "challenge",
                bytes -> AuditChallengeStatement.of(Statement.parse(bytes)),
                text(Samples.challenge(LAST, Samples.witnessBeacon(), key)
                        .toStatement()
                        .toBytes()));
        AuditVerdictStatement verdict = new AuditVerdictStatement(
                new AuditVerdictStatement.Basis(LAST.runId(), LAST.digest(), 4, OptionalLong.of(5)),
                AuditWorld.report(AuditUnit.parse("STEP(3)"), Verdict.DIVERGED),
                List.of());
        add(
                all,
                "verdict",
                bytes -> AuditVerdictStatement.of(Statement.parse(bytes)),
                text(verdict.toStatement().toBytes()));
        KeyEventStatement rotate =
                new KeyEventStatement(KeyEventStatement.Rotate.of(key.verifyingKey(), Planted.key(8)));
        add(
                all,
                "key event",
                bytes -> KeyEventStatement.of(Statement.parse(bytes)),
                text(rotate.toStatement().toBytes()));
        add(
                all,
                "drill commitment",
                bytes -> DrillCommitmentStatement.of(Statement.parse(bytes)),
                text(new DrillCommitmentStatement(Samples.drill("a").commitment())
                        .toStatement()
                        .toBytes()));
        add(
                all,
                "drill opening",
                bytes -> DrillOpeningStatement.of(Statement.parse(bytes)),
                text(new DrillOpeningStatement(3, LAST.runId(), Samples.drill("a"))
                        .toStatement()
                        .toBytes()));
        char[] passphrase = "x".toCharArray();
        String encrypted = EncryptedPem.encrypt(new byte[48], passphrase, new SecureRandom());
        add(all, "encrypted key", bytes -> EncryptedPem.parse(text(bytes)), encrypted);
    }

    private static SignedNote note() {
        Checkpoint checkpoint = new Checkpoint(LogTestKit.ORIGIN, 1, Hashing.sha256("root"));
        return new SignedNote(
                checkpoint.text(),
                new ArrayList<>(List.of(
                        LogTestKit.logKey().sign(checkpoint.text()),
                        LogTestKit.witnessKey(1).cosign(checkpoint.text(), LogTestKit.NOON))));
    }

    private static String policy() {
        return "log " + LogTestKit.logKey().verifier().vkey() + " http://127.0.0.1:1\nwitness w1 "
                + LogTestKit.witnessKey(1).verifier().vkey() + "\ngroup g any w1\nquorum g\n";
    }

    private static byte[] state(SignedNote note) {
        return new MonitorState(
                        note,
                        new TreeMap<>(Map.of(3L, Hashing.sha256("verdict"))),
                        new TreeMap<>(Map.of(1L, new MonitorState.Waiting(Instant.EPOCH, false))))
                .toBytes();
    }

    private static void add(Map<String, Target> all, String name, Parser parser, String good) {
        all.put(name, new Target(parser, good.getBytes(StandardCharsets.UTF_8)));
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
