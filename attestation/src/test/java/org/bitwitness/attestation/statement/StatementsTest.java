package org.bitwitness.attestation.statement;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.bitwitness.attestation.Planted.assertRefused;
import static org.bitwitness.attestation.Planted.key;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.bitwitness.attestation.dsse.DsseEnvelope;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.record.BeaconMode;
import org.bitwitness.protocol.record.Commitment;
import org.junit.jupiter.api.Test;

class StatementsTest {
    private static final Commitment OPEN = Samples.open("a", BeaconMode.WITNESS_VRF);
    private static final Commitment LAST = Samples.last(OPEN, 60);

    @Test
    void readsTheCommitmentsItWrites() throws Exception {
        for (Commitment commitment : List.of(OPEN, LAST)) {
            Statement statement = new TrainingCommitmentStatement(commitment).toStatement();
            DsseEnvelope envelope = DsseEnvelope.parse(statement.sign(key(1)).toBytes());
            assertEquals(
                    commitment,
                    TrainingCommitmentStatement.parse(envelope.verify(key(1).verifyingKey()))
                            .commitment());
        }
    }

    @Test
    void findsTheReleasedModelByItsPlainDigest() {
        Statement statement = new TrainingCommitmentStatement(LAST).toStatement();
        assertTrue(statement.isAbout(Hashing.sha256(Samples.MODEL)));
        assertTrue(statement.isAbout(LAST.digest().digest()));
        assertTrue(statement.subjects().contains(Subject.of("model.safetensors", Hashing.sha256(Samples.MODEL))));
        assertTrue(
                statement.subjects().stream().noneMatch(s -> s.name().equals(Optional.of("steps/000000000000.arrow"))));
    }

    @Test
    void readsTheChallengesItWritesInEachBeaconMode() throws Exception {
        for (BeaconEvidence beacon : List.of(
                Samples.witnessBeacon(),
                new BeaconEvidence.Drand(1000, "b4".repeat(48), "log\n1\nroot\n"),
                new BeaconEvidence.VrfOnly())) {
            AuditChallengeStatement challenge = Samples.challenge(LAST, beacon, key(2));
            DsseEnvelope envelope = challenge.toStatement().sign(key(2));
            assertEquals(challenge, AuditChallengeStatement.parse(envelope.verify(key(2).verifyingKey())));
        }
    }

    @Test
    void refusesEachMissingAndEachUnknownFieldOfAPredicate() throws Exception {
        for (Statement good : List.of(
                new TrainingCommitmentStatement(OPEN).toStatement(),
                new TrainingCommitmentStatement(LAST).toStatement(),
                Samples.challenge(LAST, Samples.witnessBeacon(), key(2)).toStatement())) {
            read(good);
            for (String field : good.predicate().members().keySet()) {
                Json.Builder without = Json.object();
                good.predicate().members().forEach((key, value) -> {
                    if (!key.equals(field)) {
                        without.put(key, value);
                    }
                });
                // The message names the field, or the rule that the absence breaks.
                assertRefused("", () -> read(with(good, without.build())));
            }
            Json.Builder more = Json.object();
            good.predicate().members().forEach(more::put);
            more.put("runIds", "x");
            assertRefused(
                    "unknown key \"runIds\", the nearest known one is \"runId\"", () -> read(with(good, more.build())));
        }
    }

    @Test
    void refusesValuesThatContradictEachOther() throws Exception {
        Statement last = new TrainingCommitmentStatement(LAST).toStatement();
        assertRefused("\"commitmentDigest\" should be", () -> read(edited(last, "\"endStep\":60", "\"endStep\":61")));
        assertRefused("\"final\" is true exactly", () -> read(edited(last, "\"final\":true", "\"final\":false")));
        assertRefused("not a path inside a recording", () -> read(edited(last, "steps/0", "../steps/0")));
        assertRefused("should be an integer", () -> read(edited(last, "\"endStep\":60", "\"endStep\":60.0")));
        Statement open = new TrainingCommitmentStatement(OPEN).toStatement();
        assertRefused("runId should be", () -> read(edited(open, "\"unitsPerAuditor\":2", "\"unitsPerAuditor\":3")));
        assertRefused("beacon mode", () -> read(edited(open, "witness-vrf", "witness-vRf")));
        Statement challenge =
                Samples.challenge(LAST, Samples.witnessBeacon(), key(2)).toStatement();
        assertRefused("leafIndex < treeSize", () -> read(edited(challenge, "\"leafIndex\":1", "\"leafIndex\":2")));
        assertRefused("different witnesses", () -> read(edited(challenge, "w2.example", "w1.example")));
        assertRefused("units", () -> read(edited(challenge, "STEP(3)", "STEP(03)")));
        assertRefused("1 to 10000 units", () -> read(edited(challenge, "\"STEP(3)\",\"FINAL\"", "")));
        assertRefused("VRF proof", () -> read(edited(challenge, "\"vrfProof\":\"0", "\"vrfProof\":\"")));
    }

    @Test
    void refusesSubjectsThatDoNotFollowFromThePredicate() throws Exception {
        Statement good = new TrainingCommitmentStatement(LAST).toStatement();
        List<Subject> fewer = good.subjects().subList(0, 3);
        assertRefused("subject", () -> read(new Statement(fewer, good.predicateType(), good.predicate())));
        List<Subject> other = new java.util.ArrayList<>(good.subjects());
        other.set(4, Subject.of("model.safetensors", Samples.digest("somebody else's model")));
        assertRefused("subject", () -> read(new Statement(other, good.predicateType(), good.predicate())));
    }

    @Test
    void refusesOneTypeWhereAnotherIsExpected() throws Exception {
        Statement commitment = new TrainingCommitmentStatement(LAST).toStatement();
        assertRefused("expected predicate type", () -> AuditChallengeStatement.of(commitment));
        assertRefused(
                "expected payload type",
                () -> Statement.parse(DsseEnvelope.sign("text/plain", commitment.toBytes(), key(1))
                        .verify(key(1).verifyingKey())));
        String json = new String(commitment.toBytes(), UTF_8);
        assertRefused(
                "_type",
                () -> Statement.parse(
                        json.replace("Statement/v1", "Statement/v0.1").getBytes(UTF_8)));
        assertRefused(
                "sha256",
                () -> Statement.parse(
                        json.replace("\"sha256\":\"", "\"sha512\":\"").getBytes(UTF_8)));
        assertRefused(
                "at least one item",
                () -> Statement.parse(
                        "{\"_type\":\"https://in-toto.io/Statement/v1\",\"predicateType\":\"x\",\"predicate\":{},\"subject\":[]}"
                                .getBytes(UTF_8)));
        assertRefused(
                "should be an object",
                () -> Statement.parse(
                        ("{\"_type\":\"https://in-toto.io/Statement/v1\",\"predicateType\":\"x\",\"predicate\":1,"
                                        + "\"subject\":[{\"digest\":{\"sha256\":\"" + "0".repeat(64) + "\"}}]}")
                                .getBytes(UTF_8)));
    }

    @Test
    void ignoresUnknownFieldsBesideThoseOfInToto() throws Exception {
        Statement good = new TrainingCommitmentStatement(LAST).toStatement();
        String json = new String(good.toBytes(), UTF_8).replace("{\"_type\"", "{\"x\":{},\"_type\"");
        assertEquals(
                LAST,
                TrainingCommitmentStatement.of(Statement.parse(json.getBytes(UTF_8)))
                        .commitment());
    }

    private static Object read(Statement statement) throws Exception {
        return statement.predicateType().equals(PredicateType.TRAINING_COMMITMENT)
                ? TrainingCommitmentStatement.of(statement)
                : AuditChallengeStatement.of(statement);
    }

    private static Statement with(Statement statement, Json.Obj predicate) {
        return new Statement(statement.subjects(), statement.predicateType(), predicate);
    }

    private static Statement edited(Statement statement, String from, String to) throws Exception {
        String json = new String(statement.toBytes(), UTF_8);
        assertTrue(json.contains(from), from);
        return Statement.parse(
                json.replaceFirst(java.util.regex.Pattern.quote(from), to).getBytes(UTF_8));
    }
}
