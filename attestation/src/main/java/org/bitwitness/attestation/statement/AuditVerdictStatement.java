package org.bitwitness.attestation.statement;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.dsse.VerifiedPayload;
import org.bitwitness.protocol.CommitmentDigest;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.JsonFields;
import org.bitwitness.protocol.format.ReplayReportJson;

/**
 * An auditor's signed verdict on one unit: predicate {@code audit-verdict/v0.1}. The auditor is the signer.
 *
 * @param basis what was audited and how the unit was chosen
 * @param report what the replay found
 * @param models released files of the commitment, as further subjects, so that {@code sha256sum} finds the verdict;
 *     nothing rests on them
 */
public record AuditVerdictStatement(Basis basis, ReplayReport report, List<Subject> models) {
    private static final Set<String> BASIS_FIELDS =
            Set.of("challengeLogIndex", "commitmentDigest", "commitmentLogIndex", "drawn", "runId");

    public AuditVerdictStatement {
        models = List.copyOf(models);
    }

    /**
     * What a verdict is about.
     *
     * @param commitmentLogIndex where the commitment stands in the log
     * @param challengeLogIndex where the challenge that drew the unit stands; empty for a spot check, whose unit a
     *     person chose and which counts in no coverage
     */
    public record Basis(
            RunId runId, CommitmentDigest commitment, long commitmentLogIndex, OptionalLong challengeLogIndex) {
        public Basis {
            if (commitmentLogIndex < 0 || challengeLogIndex.orElse(commitmentLogIndex + 1) <= commitmentLogIndex) {
                throw new IllegalArgumentException("a challenge comes after the commitment, got log indexes %d and %s"
                        .formatted(commitmentLogIndex, challengeLogIndex));
            }
        }

        /** False for a spot check. */
        public boolean drawn() {
            return challengeLogIndex.isPresent();
        }
    }

    /** The statement to sign. */
    public Statement toStatement() {
        Json.Builder predicate = Json.object();
        basis.challengeLogIndex().ifPresent(index -> predicate.put("challengeLogIndex", index));
        predicate
                .put("commitmentDigest", basis.commitment().hex())
                .put("commitmentLogIndex", basis.commitmentLogIndex())
                .put("drawn", basis.drawn())
                .put("runId", basis.runId().hex());
        ReplayReportJson.toJson(report).members().forEach(predicate::put);
        List<Subject> subjects = new ArrayList<>();
        subjects.add(Subject.of("commitment", basis.commitment().digest()));
        subjects.add(Subject.of("run", basis.runId().digest()));
        subjects.addAll(models);
        return new Statement(
                subjects, PredicateType.AUDIT_VERDICT, predicate.build().sorted());
    }

    /** Reads a verified body. */
    public static AuditVerdictStatement parse(VerifiedPayload payload) throws AttestationException {
        return of(Statement.parse(payload));
    }

    /** Reads a statement; fields must be exactly those that we would write. */
    public static AuditVerdictStatement of(Statement statement) throws AttestationException {
        return Reading.exactly(
                statement,
                PredicateType.AUDIT_VERDICT,
                () -> {
                    Basis basis = readBasis(JsonFields.of("predicate", statement.predicate()));
                    Json.Builder rest = Json.object();
                    statement.predicate().members().forEach((key, value) -> {
                        if (!BASIS_FIELDS.contains(key)) {
                            rest.put(key, value);
                        }
                    });
                    ReplayReport report = ReplayReportJson.fromJson("predicate", rest.build());
                    List<Subject> subjects = statement.subjects();
                    List<Subject> models = subjects.subList(Math.min(2, subjects.size()), subjects.size());
                    return new AuditVerdictStatement(basis, report, models);
                },
                AuditVerdictStatement::toStatement);
    }

    private static Basis readBasis(JsonFields in) throws ProtocolException {
        RunId runId = new RunId(in.digest("runId"));
        CommitmentDigest commitment = new CommitmentDigest(in.digest("commitmentDigest"));
        long commitmentIndex = in.integer("commitmentLogIndex", 0, Long.MAX_VALUE - 1);
        OptionalLong challengeIndex = in.has("challengeLogIndex")
                ? OptionalLong.of(in.integer("challengeLogIndex", 0, Long.MAX_VALUE))
                : OptionalLong.empty();
        if (in.bool("drawn") != challengeIndex.isPresent()) {
            throw in.refuse("drawn", "is true exactly where there is a challengeLogIndex");
        }
        return Reading.value(in.path(), () -> new Basis(runId, commitment, commitmentIndex, challengeIndex));
    }
}
