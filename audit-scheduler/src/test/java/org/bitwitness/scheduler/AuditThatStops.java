package org.bitwitness.scheduler;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.bitwitness.attestation.drand.RoundSource;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.log.HttpLogClient;
import org.bitwitness.attestation.log.LogSources;
import org.bitwitness.attestation.log.TransparencyLog;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.kernels.BackendId;

/** An auditor's process that stands still between its first replay and the verdict on it, until it is killed. */
final class AuditThatStops {
    static final String HERE = "stands before the verdict";

    private AuditThatStops() {}

    /** {@code RUN LOG-URL TRUST KEY-PEM OUT} */
    public static void main(String[] arguments) throws Exception {
        AtomicInteger appended = new AtomicInteger();
        TrustPolicy trust = TrustPolicy.load(Path.of(arguments[2]));
        TransparencyLog log = new HttpLogClient(URI.create(arguments[1]), trust.witnesses());
        TransparencyLog stopping = (envelope, signer) -> {
            if (appended.getAndIncrement() > 0) {
                System.err.println(HERE);
                while (true) {
                    LockSupport.park();
                }
            }
            return log.append(envelope, signer);
        };
        SigningKey key = SigningKey.ofPem(Files.readString(Path.of(arguments[3])));
        new AuditWorker(setting(trust, arguments[1], stopping, key, Path.of(arguments[4])), AuditListener.NONE)
                .work(Path.of(arguments[0]), 1);
    }

    static AuditWorker.Setting setting(TrustPolicy trust, String url, TransparencyLog log, SigningKey key, Path out)
            throws Exception {
        return new AuditWorker.Setting(
                trust,
                LogSources.at(url),
                log,
                key,
                out,
                BackendId.VECTOR,
                1,
                RoundSource.live(),
                Optional.of(new Keeping(out.resolve("kept"), "1", Duration.ZERO)));
    }
}
