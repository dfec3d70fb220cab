package org.bitwitness.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.statement.AuditVerdictStatement;
import org.bitwitness.attestation.verify.Logged;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.protocol.ReplayProof;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.replayer.Lie;
import org.bitwitness.replayer.ProgressListener;
import org.bitwitness.replayer.ReplayOptions;
import org.bitwitness.replayer.ReplaySalt;
import org.bitwitness.replayer.TestTrainer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The lazy auditor: signs REPRODUCED with roots that everybody can read, and hands a proof on. */
class CrossCheckTest {
    @TempDir
    private static Path temp;

    private static AuditStage stage;
    private static Path run;
    private static AuditResult honest;

    @BeforeAll
    static void auditOnce() throws Exception {
        stage = new AuditStage(temp);
        run = temp.resolve("run");
        TestTrainer.train(run, TestTrainer.Shape.SMALL, Lie.NONE, stage.committer(stage.trainer));
        honest = stage.worker(stage.auditor, AuditListener.NONE).work(run, Integer.MAX_VALUE);
    }

    @AfterAll
    static void stop() throws Exception {
        stage.close();
    }

    @Test
    void anHonestAuditorsProofsAreWhatAReplayGivesOnAnyBackend() throws Exception {
        for (BackendId backend : List.of(BackendId.VECTOR, BackendId.REFERENCE)) {
            CrossCheck check = check(backend);
            for (LoggedVerdict verdict : honest.verdicts()) {
                assertInstanceOf(CrossCheck.Finding.Same.class, finding(check, verdict.logIndex()));
            }
        }
    }

    @Test
    void aProofHandedOnToAnotherAuditorIsNotTheirs() throws Exception {
        ReplayReport copied = honest.verdicts().getFirst().report();
        long index = append(stage.second, copied, OptionalLong.empty());
        var finding = assertInstanceOf(CrossCheck.Finding.OtherProof.class, finding(check(BackendId.VECTOR), index));
        assertNotEquals(copied.proof(), finding.computed());
    }

    @Test
    void aMadeUpProofIsFound() throws Exception {
        ReplayReport report = honest.verdicts().getFirst().report();
        ReplayProof made = new ReplayProof(
                report.proof().kind(), Sha256.of(new byte[32]), report.proof().leaves());
        long index = append(stage.auditor, with(report, made), honest.challengeLogIndex());
        assertInstanceOf(CrossCheck.Finding.OtherProof.class, finding(check(BackendId.VECTOR), index));
    }

    @Test
    void aVerdictThatNamesNoChallengeOfTheLogCannotBeCompared() throws Exception {
        ReplayReport report = honest.verdicts().getFirst().report();
        long index = append(stage.auditor, report, OptionalLong.of(1_000_000));
        assertInstanceOf(CrossCheck.Finding.Undecided.class, finding(check(BackendId.VECTOR), index));
    }

    private static ReplayReport with(ReplayReport report, ReplayProof proof) {
        return new ReplayReport(
                report.unit(),
                report.verdict(),
                report.grade(),
                report.backend(),
                report.profile(),
                report.confirmedBy(),
                report.expectedRoot(),
                report.computedRoot(),
                report.firstDifference(),
                report.reason(),
                proof,
                report.selfTestDigest(),
                report.environmentDigest(),
                report.startedOn(),
                report.finishedOn(),
                report.stepsReplayed(),
                report.tokens(),
                report.wall());
    }

    private static CrossCheck check(BackendId backend) throws Exception {
        return new CrossCheck(run, stage.survey(), new ReplayOptions(backend, 2, ReplaySalt.NONE));
    }

    private static CrossCheck.Finding finding(CrossCheck check, long index) throws Exception {
        List<Logged<AuditVerdictStatement>> verdicts = check.verdicts(wanted -> wanted == index);
        assertEquals(1, verdicts.size(), "one verdict at entry " + index);
        return check.check(verdicts.getFirst(), ProgressListener.NONE).finding();
    }

    private static long append(SigningKey key, ReplayReport report, OptionalLong challenge) throws Exception {
        AuditTarget target = AuditTarget.find(run, stage.survey());
        AuditVerdictStatement.Basis basis = new AuditVerdictStatement.Basis(
                target.commitment().runId(),
                target.commitment().digest(),
                target.logged().index(),
                challenge);
        AuditVerdictStatement statement = new AuditVerdictStatement(basis, report, List.of());
        return SignedEntry.append(statement.toStatement(), key, stage.client(), stage.trust.witnesses())
                .index();
    }
}
