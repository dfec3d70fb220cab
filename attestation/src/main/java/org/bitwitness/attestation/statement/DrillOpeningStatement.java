package org.bitwitness.attestation.statement;

import java.util.ArrayList;
import java.util.List;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.protocol.DescriptorDigest;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.audit.DrillList;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.JsonFields;
import org.bitwitness.protocol.format.PlantedFaultJson;
import org.bitwitness.protocol.record.PlantedFault;

/**
 * What a drill had planted, told after the audits: predicate {@code drill-opening/v0.1}. Whoever reads it computes the
 * commitment again from descriptor, faults and salt.
 *
 * <pre>
 * {"commitmentLogIndex":3,"descriptorDigest":"…","drillCommitment":"5f2c…","faults":[{"kind":"gradient-bit",…}],
 *  "runId":"…","salt":"…"}
 * </pre>
 *
 * @param commitmentLogIndex where the commitment stands in the log
 * @param runId the run that was the drill
 */
public record DrillOpeningStatement(long commitmentLogIndex, RunId runId, DrillList drill) {
    public DrillOpeningStatement {
        if (commitmentLogIndex < 0) {
            throw new IllegalArgumentException("a place in a log is 0 or more, got " + commitmentLogIndex);
        }
    }

    /** The statement to sign. */
    public Statement toStatement() {
        List<Json> faults = new ArrayList<>();
        drill.faults().forEach(fault -> faults.add(PlantedFaultJson.toJson(fault)));
        Json.Obj predicate = Json.object()
                .put("commitmentLogIndex", commitmentLogIndex)
                .put("descriptorDigest", drill.descriptor().hex())
                .put(DrillCommitmentStatement.FIELD, drill.commitment().hex())
                .put("faults", new Json.Arr(faults))
                .put("runId", runId.hex())
                .put("salt", drill.salt().hex())
                .build();
        return new Statement(
                List.of(
                        Subject.of(DrillCommitmentStatement.SUBJECT, drill.commitment()),
                        Subject.of("run", runId.digest())),
                PredicateType.DRILL_OPENING,
                predicate);
    }

    /**
     * Reads a statement; fields and subjects must be exactly those that we would write. So its commitment is the one that
     * its list and its salt give; whether that one was logged is not checked here.
     */
    public static DrillOpeningStatement of(Statement statement) throws AttestationException {
        return Reading.exactly(
                statement,
                PredicateType.DRILL_OPENING,
                () -> {
                    JsonFields in = JsonFields.of("predicate", statement.predicate());
                    long index = in.integer("commitmentLogIndex", 0, Long.MAX_VALUE);
                    DescriptorDigest descriptor = new DescriptorDigest(in.digest("descriptorDigest"));
                    Sha256 commitment = in.digest(DrillCommitmentStatement.FIELD);
                    List<PlantedFault> faults = new ArrayList<>();
                    for (JsonFields fault : in.objects("faults", DrillList.MAX_FAULTS)) {
                        faults.add(PlantedFaultJson.read(fault));
                    }
                    RunId runId = new RunId(in.digest("runId"));
                    Sha256 salt = in.digest("salt");
                    in.end();
                    DrillList drill = Reading.value(in.path(), () -> new DrillList(descriptor, faults, salt));
                    if (!drill.commitment().equals(commitment)) {
                        throw in.refuse(
                                DrillCommitmentStatement.FIELD,
                                "should be %s, which descriptor, faults and salt give, is %s"
                                        .formatted(drill.commitment(), commitment));
                    }
                    return new DrillOpeningStatement(index, runId, drill);
                },
                DrillOpeningStatement::toStatement);
    }
}
