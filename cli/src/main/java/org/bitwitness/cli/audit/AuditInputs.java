package org.bitwitness.cli.audit;

import java.net.URI;
import org.bitwitness.attestation.log.HttpLogClient;
import org.bitwitness.attestation.log.LogSources;
import org.bitwitness.attestation.log.TransparencyLog;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.cli.support.CommandFailure;

/** What the audit commands make of the log that a person named. */
final class AuditInputs {
    private AuditInputs() {}

    /** A log that can be appended to: one that is served, because only its operator may write the folder. */
    static TransparencyLog writable(String log, TrustPolicy trust) throws CommandFailure {
        if (LogSources.isUrl(log)) {
            return new HttpLogClient(CommandFailure.typed(() -> URI.create(log)), trust.witnesses());
        }
        URI url = trust.witnesses().logs().stream()
                .flatMap(known -> known.url().stream())
                .findFirst()
                .orElseThrow(() -> CommandFailure.usage(
                        "verdicts are appended through the log's server: give its URL as --log, or name it in %s"
                                .formatted(TrustPolicy.POLICY_FILE)));
        return new HttpLogClient(url, trust.witnesses());
    }
}
