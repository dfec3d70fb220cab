package org.bitwitness.scheduler;

import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.CommitmentDigest;
import org.bitwitness.protocol.ProfileId;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.JsonFields;
import org.bitwitness.protocol.format.StrictJson;
import org.bitwitness.replayer.KeepPlace;
import org.bitwitness.replayer.KeepSecret;
import org.bitwitness.replayer.ReplaySalt;

/**
 * What an executor is told: one unit, where the recording lies, and whose replay it is. Its text is the whole task:
 *
 * <pre>
 * {"auditor":"3059…","backend":"vector","challenge":"ab…","commitment":"cd…",
 *  "keep":{"everyMillis":20000,"file":"/verdicts/.kept/3f2a90bc-6-STEP-17-81d0c4e2.kept","secret":"ef…","tool":"0.1"},
 *  "profile":"F32-C512 v1","recording":"/runs/7","tasks":2,"threads":1,"unit":"STEP(17)"}
 * </pre>
 *
 * @param recording folder, the same on every executor
 * @param commitment the commitment to replay under
 * @param profile that the recording names
 * @param tasks that run in the executor's JVM at the same time and share its heap
 * @param threads of the backend
 * @param auditorSpkiHex the auditor's public key, which salts the replay proof
 * @param challenge digest of the logged challenge; absent in a spot check
 * @param keep where the executor keeps how far it is, so that a task that is started again goes on
 */
public record ReplayTask(
        AuditUnit unit,
        Path recording,
        CommitmentDigest commitment,
        BackendId backend,
        ProfileId profile,
        int tasks,
        int threads,
        String auditorSpkiHex,
        Optional<Sha256> challenge,
        Optional<KeepPlace> keep) {
    private static final String WHAT = "replay task";
    private static final int MAX_THREADS = 1024;
    private static final long MAX_EVERY_MILLIS = 1L << 40;

    public String text() {
        Json.Builder out = Json.object().put("auditor", auditorSpkiHex).put("backend", backend.text());
        challenge.ifPresent(digest -> out.put("challenge", digest.hex()));
        out.put("commitment", commitment.hex());
        keep.ifPresent(place -> out.put(
                "keep",
                Json.object()
                        .put("everyMillis", place.every().toMillis())
                        .put("file", place.file().toString())
                        .put("secret", place.secret().value().hex())
                        .put("tool", place.tool())
                        .build()));
        return out.put("profile", profile.text())
                .put("recording", recording.toString())
                .put("tasks", tasks)
                .put("threads", threads)
                .put("unit", unit.text())
                .build()
                .toText();
    }

    /** Reads {@link #text}. */
    public static ReplayTask parse(String text) throws ProtocolException {
        JsonFields in = JsonFields.of(WHAT, StrictJson.object(text.getBytes(StandardCharsets.UTF_8), WHAT));
        String auditor = in.text("auditor");
        String backend = in.text("backend");
        Optional<Sha256> challenge = in.has("challenge") ? Optional.of(in.digest("challenge")) : Optional.empty();
        Sha256 commitment = in.digest("commitment");
        Optional<KeepPlace> keep = in.has("keep") ? Optional.of(keep(in.object("keep"))) : Optional.empty();
        String profile = in.text("profile");
        String recording = in.text("recording");
        int tasks = in.integer32("tasks", 1, MAX_THREADS);
        int threads = in.integer32("threads", 1, MAX_THREADS);
        String unit = in.text("unit");
        in.end();
        try {
            return new ReplayTask(
                    AuditUnit.parse(unit),
                    Path.of(recording),
                    new CommitmentDigest(commitment),
                    BackendId.parse(backend),
                    new ProfileId(profile),
                    tasks,
                    threads,
                    auditor,
                    challenge,
                    keep);
        } catch (IllegalArgumentException e) {
            throw new ProtocolException(ProtocolException.Kind.MALFORMED, WHAT + ": " + e.getMessage(), e);
        }
    }

    private static KeepPlace keep(JsonFields in) throws ProtocolException {
        long every = in.integer("everyMillis", 0, MAX_EVERY_MILLIS);
        String file = in.text("file");
        KeepSecret secret = new KeepSecret(in.digest("secret"));
        String tool = in.text("tool");
        in.end();
        try {
            return new KeepPlace(Path.of(file), secret, tool, Duration.ofMillis(every));
        } catch (InvalidPathException e) {
            throw in.refuse("file", "is no path: " + e.getMessage());
        }
    }

    /** Whose replay it is, for which challenge. */
    ReplaySalt salt() {
        byte[] spki = HexFormat.of().parseHex(auditorSpkiHex);
        return new ReplaySalt(Optional.of(new ReplaySalt.PublicKeyBytes(spki)), challenge);
    }
}
