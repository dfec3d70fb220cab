package org.bitwitness.attestation.statement;

import java.util.ArrayList;
import java.util.List;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.dsse.VerifiedPayload;
import org.bitwitness.protocol.format.JsonFields;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.protocol.record.FileEntry;

/**
 * A trainer's signed commitment: predicate {@code training-commitment/v0.1}. Everything in the statement follows from
 * the commitment, subjects included: the commitment itself, the run, and each released file by its plain SHA-256, so
 * that {@code sha256sum model.safetensors} finds it.
 */
public record TrainingCommitmentStatement(Commitment commitment) {
    /** Files under this folder of a recording are what the public gets. */
    public static final String RELEASED = "released/";

    /** The statement to sign. */
    public Statement toStatement() {
        List<Subject> subjects = new ArrayList<>();
        subjects.add(Subject.of("commitment", commitment.digest().digest()));
        subjects.add(Subject.of("run", commitment.runId().digest()));
        commitment.releasedRoot().ifPresent(root -> subjects.add(Subject.of("released", root.digest())));
        released()
                .forEach(file ->
                        subjects.add(Subject.of(file.path().text().substring(RELEASED.length()), file.sha256())));
        return new Statement(subjects, PredicateType.TRAINING_COMMITMENT, CommitmentJson.write(commitment));
    }

    /** Released files that this commitment lists. */
    public List<FileEntry> released() {
        return commitment.newFiles().stream()
                .filter(file -> file.path().text().startsWith(RELEASED))
                .toList();
    }

    /** Reads a verified body. */
    public static TrainingCommitmentStatement parse(VerifiedPayload payload) throws AttestationException {
        return of(Statement.parse(payload));
    }

    /** Reads a statement; fields, order of files and subjects must be exactly those that we would write. */
    public static TrainingCommitmentStatement of(Statement statement) throws AttestationException {
        return Reading.exactly(
                statement,
                PredicateType.TRAINING_COMMITMENT,
                () -> new TrainingCommitmentStatement(
                        CommitmentJson.read(JsonFields.of("predicate", statement.predicate()))),
                TrainingCommitmentStatement::toStatement);
    }
}
