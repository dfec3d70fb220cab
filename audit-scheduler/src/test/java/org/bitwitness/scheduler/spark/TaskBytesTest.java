package org.bitwitness.scheduler.spark;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.ObjectOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.scheduler.ReplayTaskRunner;
import org.junit.jupiter.api.Test;

/** What leaves the auditor's process: the bytes of a job's data set, its function and its partitions. */
class TaskBytesTest {
    private static final SigningKey KEY = SigningKey.generate(new SecureRandom());

    @Test
    void holdNoKeyMaterial() throws Exception {
        byte[] sent = sent(ReplayTaskRunner::run, "{\"unit\":\"STEP(1)\"}");
        assertTrue(holds(sent, "STEP(1)".getBytes(StandardCharsets.UTF_8)), "the search looks at the wrong bytes");
        for (byte[] secret : secrets()) {
            assertFalse(holds(sent, secret), "a task carries the auditor's key");
        }
    }

    @Test
    void wouldShowAKeyThatATaskCarries() throws Exception {
        byte[] sent = sent(ReplayTaskRunner::run, "{\"key\":\"" + HexFormat.of().formatHex(scalar()) + "\"}");
        assertTrue(secrets().stream().anyMatch(secret -> holds(sent, secret)));
    }

    private static byte[] sent(TaskFunction function, String task) throws Exception {
        try (TaskPool pool = TaskPool.start(1)) {
            JavaRDD<String> job = pool.job(task, function);
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                out.writeObject(job.rdd());
                for (Object partition : job.rdd().partitions()) {
                    out.writeObject(partition);
                }
            }
            return bytes.toByteArray();
        }
    }

    private static byte[] scalar() {
        byte[] value = KEY.scalar().toByteArray();
        return value.length > 32 ? Arrays.copyOfRange(value, 1, value.length) : value;
    }

    private static List<byte[]> secrets() {
        String base64 = KEY.pem().lines().skip(1).findFirst().orElseThrow();
        return List.of(
                scalar(),
                HexFormat.of().formatHex(scalar()).getBytes(StandardCharsets.US_ASCII),
                "PRIVATE KEY".getBytes(StandardCharsets.US_ASCII),
                base64.getBytes(StandardCharsets.US_ASCII));
    }

    private static boolean holds(byte[] bytes, byte[] part) {
        for (int i = 0; i + part.length <= bytes.length; i++) {
            if (Arrays.equals(bytes, i, i + part.length, part, 0, part.length)) {
                return true;
            }
        }
        return false;
    }
}
