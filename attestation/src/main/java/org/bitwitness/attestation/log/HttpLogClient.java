package org.bitwitness.attestation.log;

import java.net.URI;
import java.util.Arrays;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.dsse.DsseEnvelope;
import org.bitwitness.attestation.http.HttpClients;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.attestation.trust.WitnessPolicy;

/** Appends to a log on another process or machine, and believes its receipt only after verifying it. */
public final class HttpLogClient implements TransparencyLog {
    private static final int MAX_RECEIPT_BYTES = 2 << 20;

    private final URI base;
    private final WitnessPolicy policy;

    /**
     * @param base the log's URL
     * @param policy what a receipt must meet
     */
    public HttpLogClient(URI base, WitnessPolicy policy) {
        this.base = base;
        this.policy = policy;
    }

    @Override
    public LogReceipt append(DsseEnvelope envelope, VerifyingKey signer) throws AttestationException {
        NewEntry entry = NewEntry.of(envelope, signer);
        URI url = HttpClients.resolve(base, LogServer.ADD.substring(1));
        HttpClients.Answer answer = HttpClients.post(
                url, "application/json", new AddRequest(envelope, signer).toBytes(), MAX_RECEIPT_BYTES);
        if (answer.status() != 200) {
            AttestationException.Kind kind = answer.status() == 503 || answer.status() == 500
                    ? AttestationException.Kind.ENVIRONMENT
                    : AttestationException.Kind.REFUSED;
            throw new AttestationException(
                    kind, "the log at %s answers %d: %s".formatted(base, answer.status(), answer.shown()));
        }
        LogReceipt receipt = LogReceipt.parse(answer.body());
        if (!Arrays.equals(receipt.leaf(), entry.leaf())) {
            throw AttestationException.refused("the log at " + base + " answers with the receipt of another entry");
        }
        try {
            receipt.verify(policy);
        } catch (AttestationException e) {
            throw e.in("receipt of " + base);
        }
        return receipt;
    }
}
