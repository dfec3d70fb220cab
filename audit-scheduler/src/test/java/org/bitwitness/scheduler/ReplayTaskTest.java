package org.bitwitness.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.CommitmentDigest;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProfileId;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.replayer.KeepPlace;
import org.bitwitness.replayer.KeepSecret;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReplayTaskTest {
    @TempDir
    private Path temp;

    private ReplayTask task() {
        SigningKey key = SigningKey.generate(new SecureRandom());
        return new ReplayTask(
                AuditUnit.parse("GRADIENT(17,2)"),
                temp,
                new CommitmentDigest(Hashing.sha256("c")),
                BackendId.VECTOR,
                ProfileId.BF16_C512,
                2,
                1,
                HexFormat.of().formatHex(key.verifyingKey().spki()),
                Optional.of(Hashing.sha256("challenge")),
                Optional.of(new KeepPlace(
                        temp.resolve("kept"), new KeepSecret(Hashing.sha256("secret")), "1", Duration.ofSeconds(20))));
    }

    @Test
    void comesBackFromItsText() throws Exception {
        ReplayTask task = task();
        assertEquals(task, ReplayTask.parse(task.text()));
    }

    @Test
    void refusesATextWithAnUnknownField() {
        String text = task().text().replace("\"backend\"", "\"key\":\"secret\",\"backend\"");
        assertThrows(ProtocolException.class, () -> ReplayTask.parse(text));
        assertThrows(IllegalArgumentException.class, () -> ReplayTaskRunner.run(text));
    }

    @Test
    void decidesNothingWhenTheRecordingIsNotThere() throws Exception {
        var report = TaskAnswer.parse(ReplayTaskRunner.run(task().text())).report();
        assertEquals(Verdict.INCONCLUSIVE, report.verdict());
        assertEquals(ProfileId.BF16_C512, report.profile());
        assertTrue(
                report.reason().orElseThrow().contains("not a recording"),
                report.reason().orElseThrow());
    }
}
