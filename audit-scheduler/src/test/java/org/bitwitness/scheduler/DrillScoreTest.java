package org.bitwitness.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.statement.AuditVerdictStatement;
import org.bitwitness.attestation.verify.Logged;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.CommitmentDigest;
import org.bitwitness.protocol.Confirmation;
import org.bitwitness.protocol.EvidenceGrade;
import org.bitwitness.protocol.FirstDifference;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Phase;
import org.bitwitness.protocol.ProfileId;
import org.bitwitness.protocol.ReplayProof;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.Resolution;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.record.PlantedFault;
import org.bitwitness.scheduler.DrillScore.Outcome;
import org.bitwitness.scheduler.DrillScore.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a verdict says about planted faults, and for which it says nothing. */
class DrillScoreTest {
    private static final PlantedFault.BitPlace PLACE = new PlantedFault.BitPlace("w", 0, 0);
    private static final PlantedFault GRADIENT = new PlantedFault.GradientBit(new StepIndex(3), new WorkerId(1), PLACE);
    private static final PlantedFault REDUCTION = new PlantedFault.ReductionBit(new StepIndex(5), PLACE);
    private static final PlantedFault UPDATE = new PlantedFault.OtherLearningRate(new StepIndex(8), 0);
    private static final List<PlantedFault> FAULTS = List.of(GRADIENT, REDUCTION, UPDATE);
    private static final SigningKey KEY = SigningKey.generate(new SecureRandom());
    private static final Sha256 ROOT = Hashing.sha256("root");

    private static FirstDifference.Builder at(long step) {
        return FirstDifference.at(Resolution.PHASE).step(new StepIndex(step));
    }

    private static List<Row> rows(String unit, Verdict verdict, Optional<FirstDifference> where) {
        boolean diverged = verdict == Verdict.DIVERGED;
        ReplayReport report = new ReplayReport(
                AuditUnit.parse(unit),
                verdict,
                verdict == Verdict.INCONCLUSIVE ? Optional.empty() : Optional.of(EvidenceGrade.PROVEN),
                "vector",
                ProfileId.F32_C512,
                diverged ? Optional.of(new Confirmation("reference", Confirmation.Result.SAME)) : Optional.empty(),
                ROOT,
                diverged ? Hashing.sha256("other") : ROOT,
                where,
                Optional.of("because"),
                new ReplayProof(ReplayProof.Kind.WORK, ROOT, 1),
                ROOT,
                ROOT,
                Instant.EPOCH,
                Instant.EPOCH,
                1,
                1,
                Duration.ZERO);
        AuditVerdictStatement statement = new AuditVerdictStatement(
                new AuditVerdictStatement.Basis(new RunId(ROOT), new CommitmentDigest(ROOT), 1, OptionalLong.empty()),
                report,
                List.of());
        return DrillScore.rows(
                new Logged<>(7, statement, KEY.verifyingKey(), ROOT, ROOT), Optional.of("alice"), FAULTS);
    }

    private static void assertOne(Outcome outcome, Optional<PlantedFault> fault, List<Row> rows) {
        assertEquals(1, rows.size(), rows::toString);
        assertEquals(outcome, rows.getFirst().outcome());
        assertEquals(fault, rows.getFirst().fault());
    }

    private static List<Row> diverged(String unit, FirstDifference where) {
        return rows(unit, Verdict.DIVERGED, Optional.of(where));
    }

    @Test
    void namesAFaultWhereEverythingTheReportSaysAgrees() {
        FirstDifference whole = at(3).worker(new WorkerId(1)).phase(Phase.EMIT).build();
        assertOne(Outcome.NAMED, Optional.of(GRADIENT), diverged("STEP(3)", whole));
        assertOne(Outcome.NAMED, Optional.of(GRADIENT), diverged("STEP(4)", whole));
        assertOne(Outcome.NAMED, Optional.of(GRADIENT), diverged("STEP(3)", at(3).build()));
        FirstDifference worker = at(3).worker(new WorkerId(1)).build();
        assertOne(Outcome.NAMED, Optional.of(GRADIENT), diverged("GRADIENT(3,1)", worker));
        assertOne(
                Outcome.NAMED,
                Optional.of(UPDATE),
                diverged("STEP(8)", at(8).phase(Phase.UPDATE).build()));
    }

    @Test
    void saysWhereAnotherPlaceWasNamed() {
        FirstDifference worker = at(3).worker(new WorkerId(0)).phase(Phase.EMIT).build();
        assertOne(Outcome.ELSEWHERE, Optional.of(GRADIENT), diverged("STEP(3)", worker));
        FirstDifference phase =
                at(3).worker(new WorkerId(1)).phase(Phase.FORWARD).build();
        assertOne(Outcome.ELSEWHERE, Optional.of(GRADIENT), diverged("STEP(3)", phase));
        FirstDifference blamed =
                at(5).worker(new WorkerId(1)).phase(Phase.REDUCE).build();
        assertOne(Outcome.ELSEWHERE, Optional.of(REDUCTION), diverged("STEP(5)", blamed));
        assertOne(Outcome.FALSE_ALARM, Optional.empty(), diverged("STEP(4)", at(4).build()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "STEP(3)|3", "STEP(5)|5", "STEP(8)|8", "STEP(4)|-", "GRADIENT(3,1)|3", "GRADIENT(3,0)|-",
                        "GRADIENT(5,1)|-",
                "REDUCE(5)|5", "REDUCE(3)|-", "REDUCE(8)|-", "UPDATE(8)|8", "UPDATE(3)|-", "UPDATE(5)|-",
                        "SEGMENT(0,9)|3 5 8",
                "SEGMENT(4,8)|5", "SEGMENT(9,12)|-", "INIT|-", "FINAL|-", "DATA(shard-00000)|-"
            })
    void holdsAgainstAnAuditorOnlyWhatNoReplayOfTheUnitCanMiss(String unit, String steps) {
        List<String> expected = steps.equals("-") ? List.of() : List.of(steps.split(" "));
        List<Row> missed = rows(unit, Verdict.REPRODUCED, Optional.empty());
        assertEquals(
                expected,
                missed.stream()
                        .map(row -> row.fault().orElseThrow().step().toString())
                        .toList());
        missed.forEach(row -> assertEquals(Outcome.MISSED, row.outcome()));
        List<Row> undecided = rows(unit, Verdict.INCONCLUSIVE, Optional.empty());
        assertEquals(expected.size(), undecided.size());
        undecided.forEach(row -> assertEquals(Outcome.UNDECIDED, row.outcome()));
    }
}
