package org.bitwitness.attestation.statement;

import java.util.ArrayList;
import java.util.List;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.dsse.VerifiedPayload;
import org.bitwitness.attestation.vrf.VrfProof;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.ChainHash;
import org.bitwitness.protocol.CommitmentDigest;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.JsonFields;

/**
 * What an auditor logs before replaying: predicate {@code audit-challenge/v0.1}. It names the commitment, the
 * randomness and the units that were drawn, so that anybody can draw again. The auditor is the signer.
 *
 * @param target the commitment that is challenged
 * @param position where it stands in the log
 * @param beacon the randomness that neither trainer nor auditor controls, with its proof
 * @param proof the auditor's VRF over all of that
 * @param units drawn from the output, in the order drawn
 */
public record AuditChallengeStatement(
        Target target, LogPosition position, BeaconEvidence beacon, VrfProof proof, List<AuditUnit> units) {
    /** Units at most. */
    public static final int MAX_UNITS = 10_000;

    public AuditChallengeStatement {
        units = List.copyOf(units);
        if (units.isEmpty() || units.size() > MAX_UNITS) {
            throw new IllegalArgumentException(
                    "a challenge has 1 to %d units, got %d".formatted(MAX_UNITS, units.size()));
        }
    }

    /**
     * A commitment as a challenge and a verdict name it.
     *
     * @param chainHash the commitment's, which goes into the seed
     */
    public record Target(RunId runId, CommitmentDigest commitment, ChainHash chainHash) {}

    /** The statement to sign. */
    public Statement toStatement() {
        Json.Obj predicate = Json.object()
                .put("beacon", beacon.toJson())
                .put("chainHash", target.chainHash().digest().hex())
                .put("commitmentDigest", target.commitment().hex())
                .put("log", position.toJson())
                .put("runId", target.runId().hex())
                .put("units", Json.texts(units.stream().map(AuditUnit::text).toList()))
                .put("vrfProof", proof.hex())
                .build();
        List<Subject> subjects = List.of(
                Subject.of("commitment", target.commitment().digest()),
                Subject.of("run", target.runId().digest()));
        return new Statement(subjects, PredicateType.AUDIT_CHALLENGE, predicate);
    }

    /** Reads a verified body. The draw is not checked here. */
    public static AuditChallengeStatement parse(VerifiedPayload payload) throws AttestationException {
        return of(Statement.parse(payload));
    }

    /** Reads a statement; fields and subjects must be exactly those that we would write. */
    public static AuditChallengeStatement of(Statement statement) throws AttestationException {
        return Reading.exactly(
                statement,
                PredicateType.AUDIT_CHALLENGE,
                () -> {
                    JsonFields in = JsonFields.of("predicate", statement.predicate());
                    Target target = new Target(
                            new RunId(in.digest("runId")),
                            new CommitmentDigest(in.digest("commitmentDigest")),
                            new ChainHash(in.digest("chainHash")));
                    LogPosition position = LogPosition.read(in.object("log"));
                    BeaconEvidence beacon = BeaconEvidence.read(in.object("beacon"));
                    VrfProof proof = VrfProof.ofHex(in.text("vrfProof"));
                    List<AuditUnit> units = new ArrayList<>();
                    for (String unit : in.texts("units", MAX_UNITS)) {
                        units.add(Reading.value(in.path() + ".units", () -> AuditUnit.parse(unit)));
                    }
                    in.end();
                    return Reading.value(
                            in.path(), () -> new AuditChallengeStatement(target, position, beacon, proof, units));
                },
                AuditChallengeStatement::toStatement);
    }
}
