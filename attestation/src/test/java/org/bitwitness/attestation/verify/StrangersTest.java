package org.bitwitness.attestation.verify;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.bitwitness.attestation.Planted.assertRefused;
import static org.bitwitness.attestation.verify.AuditWorld.ALICE;
import static org.bitwitness.attestation.verify.AuditWorld.STRANGER;
import static org.bitwitness.attestation.verify.AuditWorld.TRAINER;
import static org.bitwitness.attestation.verify.AuditWorld.report;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.bitwitness.attestation.dsse.DsseEnvelope;
import org.bitwitness.attestation.dsse.LogEntry;
import org.bitwitness.attestation.keys.P256;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.log.LogReceipt;
import org.bitwitness.attestation.statement.AuditChallengeStatement;
import org.bitwitness.attestation.statement.AuditVerdictStatement;
import org.bitwitness.attestation.statement.Samples;
import org.bitwitness.attestation.statement.TrainingCommitmentStatement;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.DatasetRoot;
import org.bitwitness.protocol.DescriptorDigest;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.audit.Coverage;
import org.bitwitness.protocol.record.AuditPolicy;
import org.bitwitness.protocol.record.BeaconMode;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.protocol.record.OpenExt;
import org.bouncycastle.crypto.signers.StandardDSAEncoding;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Anybody may append to a log. Nothing that strangers append changes what is said about an honest run. */
class StrangersTest {
    private static final Commitment OPEN = Samples.open("a", BeaconMode.WITNESS_VRF);
    private static final Commitment LAST = Samples.last(OPEN, 10);

    @TempDir
    Path folder;

    private AuditWorld world;
    private LogReceipt committed;
    private AuditChallengeStatement challenge;
    private AuditVerdictStatement verdict;
    private String honest;

    @BeforeEach
    void auditARun() throws Exception {
        world = new AuditWorld(folder);
        world.commit(OPEN);
        committed = world.commit(LAST);
        challenge = world.draw(OPEN, LAST, committed, ALICE);
        OptionalLong challenged =
                OptionalLong.of(world.append(challenge.toStatement(), ALICE).index());
        for (AuditUnit unit : challenge.units()) {
            world.append(verdictOn(unit, challenged).toStatement(), ALICE);
        }
        verdict = verdictOn(challenge.units().getLast(), challenged);
        honest = said();
        assertTrue(honest.contains("2 of 12 units audited, all reproduced"), honest);
    }

    @AfterEach
    void close() throws Exception {
        world.close();
    }

    private AuditVerdictStatement verdictOn(AuditUnit unit, OptionalLong challenged) {
        return AuditWorld.verdict(LAST, committed, challenged, report(unit, Verdict.REPRODUCED));
    }

    /** All that a person is told about the run, without the size of the log. */
    private String said() throws Exception {
        LogSurvey survey = world.survey();
        RunEvidence evidence = RunEvidence.of(survey, LAST.runId());
        RunSummary summary = RunSummary.of(evidence, survey.log().checkpoint());
        return String.join(
                        "\n",
                        List.of(
                                summary.sentence(),
                                String.join("\n", summary.proven()),
                                String.join("\n", summary.notProven())))
                .replaceAll("checkpoint of [0-9]+ entries", "checkpoint");
    }

    /** From (r, s) anybody makes (r, n - s), which holds as well. */
    private static DsseEnvelope signedAgain(DsseEnvelope envelope) throws Exception {
        byte[] signature = envelope.onlySignature().bytes();
        BigInteger[] rs = StandardDSAEncoding.INSTANCE.decode(P256.order(), signature);
        byte[] other = StandardDSAEncoding.INSTANCE.encode(
                P256.order(), rs[0], P256.order().subtract(rs[1]));
        String json = envelope.toJson().toText().replace(base64(signature), base64(other));
        assertNotEquals(envelope.toJson().toText(), json);
        return DsseEnvelope.parse(json.getBytes(UTF_8));
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    @Test
    void aSecondSignatureOverTheSameStatementCountsForNothing() throws Exception {
        SortedMap<Long, Long> copies = new TreeMap<>();
        LogReceipt copy = world.append(signedAgain(challenge.toStatement().sign(ALICE)), ALICE);
        copies.put(copy.index(), 2L);
        copies.put(
                world.append(signedAgain(verdict.toStatement().sign(ALICE)), ALICE)
                        .index(),
                4L);
        for (Commitment commitment : List.of(OPEN, LAST)) {
            DsseEnvelope again = signedAgain(
                    new TrainingCommitmentStatement(commitment).toStatement().sign(TRAINER));
            copies.put(world.append(again, TRAINER).index(), commitment.sequence());
        }
        assertEquals(honest, said());
        assertEquals(copies, world.survey().copies());
    }

    @Test
    void aSecondEntryOfACommitmentGivesNoSecondDraw() throws Exception {
        LogReceipt second = world.append(
                signedAgain(new TrainingCommitmentStatement(LAST).toStatement().sign(TRAINER)), TRAINER);
        AuditChallengeStatement other = world.draw(OPEN, LAST, second, ALICE);
        assertNotEquals(challenge.proof(), other.proof());
        world.append(other.toStatement(), ALICE);
        ChallengeFinding finding =
                RunEvidence.of(world.survey(), LAST.runId()).challenges().getLast();
        assertFalse(finding.counts());
        assertTrue(finding.fault().orElseThrow().contains("a commitment counts at its first entry"), finding::toString);
    }

    @Test
    void aLogTakesOnlyStatementsThatItsReadersCanCheck() throws Exception {
        DsseEnvelope other = DsseEnvelope.sign("text/plain", "hello".getBytes(UTF_8), STRANGER);
        assertRefused("a log takes in-toto statements", () -> world.append(other, STRANGER));
        world.append(DsseEnvelope.sign(DsseEnvelope.IN_TOTO, "hello".getBytes(UTF_8), STRANGER), STRANGER);
        assertEquals(honest, said());
    }

    @Test
    void anEntryThatItsSignerDidNotSignTakesNobodysAnswersAway() throws Exception {
        byte[] payload = "hello".getBytes(UTF_8);
        byte[] signature = DsseEnvelope.sign("text/plain", payload, STRANGER)
                .onlySignature()
                .bytes();
        LogEntry entry = new LogEntry(LogEntry.Kind.DSSE, Hashing.sha256(payload), signature, STRANGER.verifyingKey());
        long index = world.appendUnchecked(entry, payload).index();
        assertEquals(honest, said());
        LogSurvey.Gap gap = world.survey().gaps().getFirst();
        assertEquals(index, gap.index());
        assertFalse(gap.decisive());
    }

    @Test
    void aRunThatCannotBeJudgedIsRefusedBeforeItCostsMemory() throws Exception {
        for (long steps : new long[] {Coverage.MAX_STEPS + 1L, 1L << 40, Long.MAX_VALUE / 2, Long.MAX_VALUE}) {
            Commitment open = strangersOpen("INIT,STEP,FINAL", steps);
            Commitment last = Samples.last(open, steps);
            append(open, STRANGER);
            append(last, STRANGER);
            assertRefused("this version judges at most", () -> RunEvidence.of(world.survey(), last.runId()));
        }
        Commitment odd = strangersOpen("INIT,WISH", 1);
        append(odd, STRANGER);
        assertRefused("a population is made of", () -> RunEvidence.of(world.survey(), odd.runId()));
        assertFalse(world.survey().isByAcceptedTrainer(odd.runId()));
        assertTrue(world.survey().isByAcceptedTrainer(LAST.runId()));
        assertEquals(honest, said());
    }

    private void append(Commitment commitment, SigningKey key) throws Exception {
        world.append(new TrainingCommitmentStatement(commitment).toStatement(), key);
    }

    private static Commitment strangersOpen(String population, long seed) {
        return Commitment.open(
                List.of(),
                OpenExt.of(
                        new DescriptorDigest(Samples.digest("descriptor " + seed)),
                        new DatasetRoot(Samples.digest("dataset")),
                        new StateRoot(Samples.digest("state 0")),
                        STRANGER.verifyingKey().spki(),
                        new AuditPolicy(
                                population,
                                Integer.MAX_VALUE,
                                Integer.MAX_VALUE,
                                BeaconMode.DRAND,
                                Duration.ofSeconds(Long.MAX_VALUE))));
    }
}
