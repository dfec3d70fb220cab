package org.bitwitness.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.bundle.SigstoreBundle;
import org.bitwitness.attestation.statement.AuditVerdictStatement;
import org.bitwitness.attestation.verify.LogSurvey;
import org.bitwitness.attestation.verify.RunEvidence;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.replayer.Lie;
import org.bitwitness.replayer.TestTrainer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditWorkerTest {
    @TempDir
    private static Path temp;

    private static AuditStage stage;
    private static Path honest;
    private static Path lying;

    @BeforeAll
    static void train() throws Exception {
        stage = new AuditStage(temp);
        honest = temp.resolve("run");
        TestTrainer.train(honest, TestTrainer.Shape.SMALL, Lie.NONE, stage.committer(stage.trainer));
        lying = temp.resolve("liar");
        Lie lie = new Lie() {
            @Override
            public void beforeEmit(long step, int position, Gradients gradients) {
                if (step == 3 && position == 2) {
                    gradients.tensor(1)[0] *= 3;
                }
            }
        };
        TestTrainer.train(lying, TestTrainer.Shape.SMALL, lie, stage.committer(stage.liar));
    }

    @AfterAll
    static void stop() throws Exception {
        stage.close();
    }

    @Test
    void logsTheChallengeFirstThenSignedVerdictsThatCount() throws Exception {
        AuditResult result = stage.worker(stage.auditor, AuditListener.NONE).work(honest, Integer.MAX_VALUE);
        assertEquals(2, result.verdicts().size(), "OPEN's policy draws two units");
        long challenge = result.challengeLogIndex().orElseThrow();
        for (LoggedVerdict verdict : result.verdicts()) {
            assertTrue(verdict.logIndex() > challenge, "a verdict before its challenge");
            assertEquals(
                    Verdict.REPRODUCED,
                    verdict.report().verdict(),
                    () -> verdict.report().reason().orElse(""));
            SigstoreBundle bundle = SigstoreBundle.parse(Files.readAllBytes(verdict.file()));
            var logged = bundle.verify(stage.auditor.verifyingKey(), stage.trust.witnesses());
            assertTrue(AuditVerdictStatement.parse(logged.payload()).basis().drawn());
        }
        RunEvidence evidence = evidence(honest);
        assertEquals(Set.copyOf(result.units()), evidence.reproducedUnits());
        assertEquals(List.of(), evidence.unanswered());

        AuditResult again = stage.worker(stage.auditor, AuditListener.NONE).work(honest, Integer.MAX_VALUE);
        assertEquals(result.units(), again.units());
        assertEquals(result.challengeLogIndex(), again.challengeLogIndex());
        assertEquals(List.of(), again.verdicts(), "everything is answered");
    }

    @Test
    void goesOnWithTheSameDrawAfterItStoppedHalfWay() throws Exception {
        AuditResult first = stage.worker(stage.second, AuditListener.NONE).work(lying, 1);
        assertEquals(1, first.verdicts().size());
        AuditResult second = stage.worker(stage.second, AuditListener.NONE).work(lying, Integer.MAX_VALUE);
        assertEquals(first.units(), second.units());
        assertEquals(1, second.verdicts().size());
        assertEquals(
                Set.copyOf(first.units()),
                List.of(first, second).stream()
                        .flatMap(r -> r.verdicts().stream())
                        .map(v -> v.report().unit())
                        .collect(Collectors.toSet()));
    }

    @Test
    void namesTheLiarInASpotCheckThatCountsInNoCoverage() throws Exception {
        AuditUnit unit = AuditUnit.parse("STEP(3)");
        AuditResult result = stage.worker(stage.auditor, AuditListener.NONE).spotCheck(lying, List.of(unit));
        var report = result.verdicts().getFirst().report();
        assertEquals(Verdict.DIVERGED, report.verdict());
        assertEquals(
                Optional.of(new WorkerId(2)),
                report.firstDifference().orElseThrow().worker());
        assertEquals(
                Optional.of(new StepIndex(3)),
                report.firstDifference().orElseThrow().step());
        assertEquals(Optional.of("emit"), report.firstDifference().orElseThrow().operator());
        assertFalse(result.verdicts().getFirst().drawn());
        RunEvidence evidence = evidence(lying);
        assertFalse(evidence.failures().isEmpty());
        assertEquals(0, evidence.coverage().coveredSteps());
    }

    @Test
    void refusesARecordingThatIsNotInTheLog() throws Exception {
        Path stranger = temp.resolve("stranger");
        TestTrainer.train(stranger, TestTrainer.Shape.SMALL, Lie.NONE);
        AttestationException refused = assertThrows(
                AttestationException.class,
                () -> stage.worker(stage.auditor, AuditListener.NONE).work(stranger, 1));
        assertTrue(refused.getMessage().contains("log"), refused.getMessage());
    }

    private static RunEvidence evidence(Path recording) throws Exception {
        LogSurvey survey = stage.survey();
        RunId run = AuditTarget.find(recording, survey).commitment().runId();
        return RunEvidence.of(survey, run);
    }
}
