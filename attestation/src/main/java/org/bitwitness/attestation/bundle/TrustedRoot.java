package org.bitwitness.attestation.bundle;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.bitwitness.attestation.dsse.Base64Text;
import org.bitwitness.attestation.trust.LogIdentity;
import org.bitwitness.protocol.format.Json;

/**
 * Writes Sigstore's {@code trusted_root.json} for the logs of a policy, so that Sigstore's own verifiers accept bundles
 * from them. Witnesses and trainers have no place in that format; {@code policy.txt} and the key files hold those.
 *
 * <p>The base URL is {@code https://} and the log's origin, because sigstore-js looks for the name in a checkpoint's
 * signature line within the base URL.
 */
public final class TrustedRoot {
    /** Media type of version 0.1. */
    public static final String MEDIA_TYPE = "application/vnd.dev.sigstore.trustedroot+json;version=0.1";

    /** Before any log of ours: the format wants a start, keys here have none. */
    private static final String FROM_THE_BEGINNING = "1970-01-01T00:00:00Z";

    private static final String ED25519_SPKI_PREFIX = "302a300506032b6570032100";

    private TrustedRoot() {}

    /** The file's text. */
    public static String write(List<LogIdentity> logs) {
        List<Json> tlogs = new ArrayList<>();
        logs.forEach(log -> tlogs.add(tlog(log)));
        return Json.object()
                        .put("mediaType", MEDIA_TYPE)
                        .put("tlogs", new Json.Arr(tlogs))
                        .put("certificateAuthorities", new Json.Arr(List.of()))
                        .put("ctlogs", new Json.Arr(List.of()))
                        .put("timestampAuthorities", new Json.Arr(List.of()))
                        .build()
                        .toPrettyText()
                + "\n";
    }

    private static Json tlog(LogIdentity log) {
        String spki = ED25519_SPKI_PREFIX + HexFormat.of().formatHex(log.key().publicKey());
        return Json.object()
                .put("baseUrl", "https://" + log.origin())
                .put("hashAlgorithm", "SHA2_256")
                .put(
                        "publicKey",
                        Json.object()
                                .put(
                                        "rawBytes",
                                        Base64Text.encode(HexFormat.of().parseHex(spki)))
                                .put("keyDetails", "PKIX_ED25519")
                                .put(
                                        "validFor",
                                        Json.object()
                                                .put("start", FROM_THE_BEGINNING)
                                                .build())
                                .build())
                .put(
                        "logId",
                        Json.object()
                                .put(
                                        "keyId",
                                        Base64Text.encode(
                                                log.key().identityDigest().bytes()))
                                .build())
                .build();
    }
}
