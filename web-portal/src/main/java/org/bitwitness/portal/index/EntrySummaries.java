package org.bitwitness.portal.index;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.attestation.statement.AuditChallengeStatement;
import org.bitwitness.attestation.statement.AuditVerdictStatement;
import org.bitwitness.attestation.statement.KeyEventStatement;
import org.bitwitness.attestation.statement.TrainingCommitmentStatement;
import org.bitwitness.attestation.verify.LogSurvey;
import org.bitwitness.attestation.verify.Logged;
import org.bitwitness.portal.view.LogPage.Entry;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.record.Commitment;

/** One line of plain words for every log entry; none is left out. */
final class EntrySummaries {
    private EntrySummaries() {}

    static List<Entry> of(LogSurvey survey) {
        Map<Long, Entry> entries = new TreeMap<>();
        for (Logged<TrainingCommitmentStatement> logged : survey.commitments()) {
            Commitment commitment = logged.statement().commitment();
            String what = commitment.open().isPresent()
                    ? "OPEN: a run is announced before its first step"
                    : "commitment to steps 0 to %d%s"
                            .formatted(commitment.endStep() - 1, commitment.isFinal() ? ", final" : "");
            add(entries, logged, what, commitment.runId().hex());
        }
        for (Logged<AuditChallengeStatement> logged : survey.challenges()) {
            List<String> units =
                    logged.statement().units().stream().map(AuditUnit::text).toList();
            add(
                    entries,
                    logged,
                    "challenge, drew " + String.join(" ", units),
                    logged.statement().target().runId().hex());
        }
        for (Logged<AuditVerdictStatement> logged : survey.verdicts()) {
            AuditVerdictStatement verdict = logged.statement();
            add(
                    entries,
                    logged,
                    "verdict %s on %s%s"
                            .formatted(
                                    verdict.report().verdict(),
                                    verdict.report().unit().text(),
                                    verdict.basis().drawn() ? "" : " (spot check)"),
                    verdict.basis().runId().hex());
        }
        for (LogSurvey.Gap gap : survey.gaps()) {
            entries.put(gap.index(), new Entry(gap.index(), "not readable: " + gap.why(), Optional.empty(), ""));
        }
        for (Logged<KeyEventStatement> logged : survey.keyEvents()) {
            long index = logged.index();
            String signer = logged.signer().id().hex();
            entries.put(index, new Entry(index, words(logged.statement().event()), Optional.empty(), signer));
        }
        survey.copies()
                .forEach((index, first) -> entries.put(
                        index,
                        new Entry(index, "says again what entry %d says".formatted(first), Optional.empty(), "")));
        for (long index = 0; index < survey.log().size(); index++) {
            entries.putIfAbsent(index, new Entry(index, "a statement of another kind", Optional.empty(), ""));
        }
        return List.copyOf(entries.values());
    }

    private static String words(KeyEventStatement.KeyEvent event) {
        return switch (event) {
            case KeyEventStatement.Enrol enrol ->
                "key %s is enrolled as auditor %s".formatted(short12(enrol.key()), enrol.name());
            case KeyEventStatement.Rotate rotate ->
                "key %s hands over to %s".formatted(short12(rotate.key()), short12(rotate.successor()));
            case KeyEventStatement.Revoke revoke -> "key %s is revoked".formatted(short12(revoke.key()));
        };
    }

    private static String short12(VerifyingKey key) {
        return key.id().hex().substring(0, 12) + "…";
    }

    private static void add(Map<Long, Entry> entries, Logged<?> logged, String summary, String runId) {
        entries.put(
                logged.index(),
                new Entry(
                        logged.index(),
                        summary,
                        Optional.of(runId),
                        logged.signer().id().hex()));
    }
}
