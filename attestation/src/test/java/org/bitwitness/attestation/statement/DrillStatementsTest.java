package org.bitwitness.attestation.statement;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.bitwitness.attestation.Planted.assertRefused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.regex.Pattern;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.audit.DrillList;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.record.BeaconMode;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.protocol.record.PlantedFault;
import org.junit.jupiter.api.Test;

class DrillStatementsTest {
    private static final Commitment OPEN = Samples.open("a", BeaconMode.WITNESS_VRF);
    private static final DrillList DRILL = Samples.drill("a");
    private static final Statement OPENING = new DrillOpeningStatement(3, OPEN.runId(), DRILL).toStatement();

    @Test
    void readsTheDrillsItWrites() throws Exception {
        DrillCommitmentStatement commitment = new DrillCommitmentStatement(DRILL.commitment());
        assertEquals(commitment, DrillCommitmentStatement.of(again(commitment.toStatement())));
        assertEquals(new DrillOpeningStatement(3, OPEN.runId(), DRILL), DrillOpeningStatement.of(again(OPENING)));
    }

    /** The values of docs/formats.md, which were computed from the page alone, in another language. */
    @Test
    void commitsToTheValuesOfTheWorkedExample() {
        DrillList example = new DrillList(
                DRILL.descriptor(),
                List.of(new PlantedFault.ScaledGradient(new StepIndex(17), new WorkerId(2), 1.5f)),
                Hashing.sha256("salt"));
        assertEquals(
                "8d1408b2a25f226867b5d067a7830d97686855759c7952164f492e89029eae32",
                example.commitment().hex());
    }

    /** What an auditor could learn before the opening. */
    @Test
    void theCommitmentNamesNeitherRunNorDescriptorNorFaults() {
        String text = new String(
                new DrillCommitmentStatement(DRILL.commitment()).toStatement().toBytes(), UTF_8);
        for (String secret : List.of(
                DRILL.descriptor().hex(), OPEN.runId().hex(), DRILL.salt().hex(), "gradient", "wte")) {
            assertTrue(!text.contains(secret), text);
        }
    }

    @Test
    void everyPartOfAListChangesItsCommitment() {
        for (DrillList other : List.of(
                new DrillList(Samples.drill("b").descriptor(), DRILL.faults(), DRILL.salt()),
                new DrillList(DRILL.descriptor(), DRILL.faults(), Hashing.sha256("pepper")),
                new DrillList(DRILL.descriptor(), DRILL.faults().subList(0, 5), DRILL.salt()),
                new DrillList(DRILL.descriptor(), List.of(), DRILL.salt()))) {
            assertNotEquals(DRILL.commitment(), other.commitment());
        }
        for (int i = 0; i < DRILL.faults().size(); i++) {
            for (int j = 0; j < i; j++) {
                assertNotEquals(
                        Hashing.sha256(DRILL.faults().get(i).toBytes()),
                        Hashing.sha256(DRILL.faults().get(j).toBytes()));
            }
        }
    }

    @Test
    void refusesAnOpeningWhoseListItsCommitmentIsNotOf() throws Exception {
        assertRefused("should be", () -> DrillOpeningStatement.of(edited("\"step\":13", "\"step\":12")));
        assertRefused("should be", () -> DrillOpeningStatement.of(edited("\"worker\":2", "\"worker\":3")));
        assertRefused("should be", () -> DrillOpeningStatement.of(edited("3fc00000", "3fc00001")));
        assertRefused("should be", () -> DrillOpeningStatement.of(edited("\"salt\":\"", "\"salt\":\"", 'f')));
    }

    @Test
    void refusesListsThatNoDrillHas() throws Exception {
        assertRefused("out of place", () -> DrillOpeningStatement.of(edited("\"step\":5", "\"step\":3")));
        assertRefused("out of place", () -> DrillOpeningStatement.of(edited("\"step\":5", "\"step\":30")));
        assertRefused("not 1", () -> DrillOpeningStatement.of(edited("3fc00000", "3f800000")));
        assertRefused("finite", () -> DrillOpeningStatement.of(edited("3fc00000", "7fc00000")));
        assertRefused("first < second", () -> DrillOpeningStatement.of(edited("\"first\":0", "\"first\":1")));
        assertRefused("bit", () -> DrillOpeningStatement.of(edited("\"bit\":3", "\"bit\":32")));
        assertRefused("kind", () -> DrillOpeningStatement.of(edited("\"state-bit\"", "\"state-byte\"")));
        assertRefused("unknown key", () -> DrillOpeningStatement.of(edited("\"first\":0", "\"x\":1,\"first\":0")));
        assertRefused("characters", () -> DrillOpeningStatement.of(edited("transformer.wte.weight", "w".repeat(257))));
        assertRefused("8 ", () -> DrillOpeningStatement.of(edited("\"3fc00000\"", "\"3FC00000\"")));
        assertThrows(IllegalArgumentException.class, () -> new PlantedFault.OtherLearningRate(new StepIndex(1), 1));
    }

    @Test
    void refusesMoreFaultsThanALimitBeforeReadingThem() throws Exception {
        Json.Builder predicate = Json.object();
        OPENING.predicate().members().forEach((key, value) -> {
            if (!key.equals("faults")) {
                predicate.put(key, value);
            }
        });
        List<Json> many = new java.util.ArrayList<>();
        for (int i = 0; i <= DrillList.MAX_FAULTS; i++) {
            many.add(Json.object().build());
        }
        predicate.put("faults", new Json.Arr(many));
        assertRefused(
                "1000",
                () -> DrillOpeningStatement.of(
                        new Statement(OPENING.subjects(), OPENING.predicateType(), predicate.build())));
    }

    @Test
    void refusesEachMissingAndEachUnknownFieldAndOtherSubjects() throws Exception {
        for (String field : OPENING.predicate().members().keySet()) {
            Json.Builder without = Json.object();
            OPENING.predicate().members().forEach((key, value) -> {
                if (!key.equals(field)) {
                    without.put(key, value);
                }
            });
            assertRefused(
                    field,
                    () -> DrillOpeningStatement.of(
                            new Statement(OPENING.subjects(), OPENING.predicateType(), without.build())));
        }
        assertRefused("unknown key", () -> DrillOpeningStatement.of(edited("\"runId\"", "\"x\":1,\"runId\"")));
        assertRefused(
                "subject",
                () -> DrillOpeningStatement.of(
                        new Statement(OPENING.subjects().subList(0, 1), OPENING.predicateType(), OPENING.predicate())));
        Statement commitment = new DrillCommitmentStatement(DRILL.commitment()).toStatement();
        assertRefused(
                "subject",
                () -> DrillCommitmentStatement.of(
                        new Statement(OPENING.subjects(), commitment.predicateType(), commitment.predicate())));
        assertRefused("expected predicate type", () -> DrillCommitmentStatement.of(OPENING));
    }

    private static Statement again(Statement statement) throws Exception {
        return Statement.parse(statement.toBytes());
    }

    private static Statement edited(String from, String to) throws Exception {
        String json = new String(OPENING.toBytes(), UTF_8);
        assertTrue(json.contains(from), from);
        return Statement.parse(json.replaceFirst(Pattern.quote(from), to).getBytes(UTF_8));
    }

    /** Puts a digit in the place of the first one after {@code from}. */
    private static Statement edited(String from, String to, char digit) throws Exception {
        String json = new String(OPENING.toBytes(), UTF_8);
        int at = json.indexOf(from) + from.length();
        assertNotEquals(digit, json.charAt(at));
        return Statement.parse(
                (json.substring(0, at - from.length()) + to + digit + json.substring(at + 1)).getBytes(UTF_8));
    }
}
