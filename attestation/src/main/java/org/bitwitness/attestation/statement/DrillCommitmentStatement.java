package org.bitwitness.attestation.statement;

import java.util.List;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.JsonFields;

/**
 * That some run which begins later is a drill: predicate {@code drill-commitment/v0.1}. It says neither which run nor
 * which faults, so that no auditor can know it before the opening.
 *
 * <pre>
 * {"drillCommitment":"5f2c…"}
 * </pre>
 *
 * @param drill {@link org.bitwitness.protocol.audit.DrillList#commitment}
 */
public record DrillCommitmentStatement(Sha256 drill) {
    static final String FIELD = "drillCommitment";
    static final String SUBJECT = "drill";

    /** The statement to sign. */
    public Statement toStatement() {
        return new Statement(
                List.of(Subject.of(SUBJECT, drill)),
                PredicateType.DRILL_COMMITMENT,
                Json.object().put(FIELD, drill.hex()).build());
    }

    /** Reads a statement; fields and subject must be exactly those that we would write. */
    public static DrillCommitmentStatement of(Statement statement) throws AttestationException {
        return Reading.exactly(
                statement,
                PredicateType.DRILL_COMMITMENT,
                () -> {
                    JsonFields in = JsonFields.of("predicate", statement.predicate());
                    Sha256 drill = in.digest(FIELD);
                    in.end();
                    return new DrillCommitmentStatement(drill);
                },
                DrillCommitmentStatement::toStatement);
    }
}
