package org.bitwitness.scheduler;

import java.util.List;
import java.util.OptionalLong;
import org.bitwitness.protocol.AuditUnit;

/**
 * What one call of a worker did.
 *
 * @param challengeLogIndex where the challenge stands; empty for spot checks
 * @param units the units that were drawn, or chosen for spot checks
 * @param verdicts given in this call
 * @param answeredBefore drawn units whose verdict was in the log already
 */
public record AuditResult(
        OptionalLong challengeLogIndex,
        List<AuditUnit> units,
        List<LoggedVerdict> verdicts,
        List<AuditUnit> answeredBefore) {
    public AuditResult {
        units = List.copyOf(units);
        verdicts = List.copyOf(verdicts);
        answeredBefore = List.copyOf(answeredBefore);
    }
}
