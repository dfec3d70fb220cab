package org.bitwitness.cli.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.dsse.DsseEnvelope;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.log.HttpLogClient;
import org.bitwitness.attestation.log.LogFsck;
import org.bitwitness.attestation.log.LogReader;
import org.bitwitness.attestation.log.LogReceipt;
import org.bitwitness.attestation.log.LogSources;
import org.bitwitness.attestation.note.Checkpoint;
import org.bitwitness.cli.CommandLineRun;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real processes, killed with SIGKILL at random moments while clients append. {@code -Dtest.kills=200} kills more often
 * than the everyday run does.
 */
class KilledServersTest {
    private static final int KILLS = Integer.getInteger("test.kills", 10);
    private static final int MANY_KILLS = 200;
    private static final long SEED = Long.getLong("test.seed", 20260101L);
    private static final int CLIENTS = 3;
    private static final SigningKey KEY = SigningKey.generate(new SecureRandom());

    @TempDir
    Path folder;

    @Test
    void losesNothingThatWasAcknowledgedAndContradictsNoCheckpoint() throws Exception {
        kill(KILLS);
    }

    @Test
    @Tag("slow")
    void losesNothingWhenKilledTwoHundredTimes() throws Exception {
        kill(MANY_KILLS);
    }

    private void kill(int kills) throws Exception {
        System.out.println("seed " + SEED);
        Random random = new Random(SEED);
        Map<String, LogReceipt> acknowledged = new ConcurrentHashMap<>();
        try (ServedLog served = new ServedLog(folder)) {
            for (int round = 0; round < kills; round++) {
                int victim = round % 2 == 0 ? 0 : 1 + random.nextInt(2);
                appendUntilKilled(served, victim, acknowledged, round, 30 + random.nextInt(300));
                if (victim == 0) {
                    served.restartLog();
                } else {
                    served.restartWitness(victim);
                }
            }
            DsseEnvelope last = envelope("the last one");
            acknowledged.put("the last one", client(served).append(last, KEY.verifyingKey()));
            requireAllThere(served, acknowledged);
            assertEquals(143, served.log().stop(), "SIGTERM ends the server in order");
        }
        assertTrue(acknowledged.size() > kills, "appended " + acknowledged.size());
    }

    private static void appendUntilKilled(
            ServedLog served, int victim, Map<String, LogReceipt> acknowledged, int round, int millis)
            throws InterruptedException {
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger next = new AtomicInteger();
        List<Thread> clients = new ArrayList<>();
        HttpLogClient client = client(served);
        int before = acknowledged.size();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(Thread.ofPlatform().start(() -> {
                while (!stop.get()) {
                    String body = "round %d number %d".formatted(round, next.getAndIncrement());
                    try {
                        acknowledged.put(body, client.append(envelope(body), KEY.verifyingKey()));
                    } catch (AttestationException killedOrUnwitnessed) {
                        // Not acknowledged: it may be there or not.
                    }
                }
            }));
        }
        while (acknowledged.size() == before && !stop.get()) {
            Thread.sleep(5);
        }
        Thread.sleep(millis);
        (victim == 0 ? served.log() : served.witness(victim)).kill();
        stop.set(true);
        for (Thread thread : clients) {
            thread.join();
        }
    }

    private static void requireAllThere(ServedLog served, Map<String, LogReceipt> acknowledged) throws Exception {
        LogReader reader = LogReader.open(
                LogSources.at(served.logUrl().toString()), served.trust().witnesses());
        Map<Long, String> bodyByIndex = new HashMap<>();
        for (Map.Entry<String, LogReceipt> one : acknowledged.entrySet()) {
            LogReceipt receipt = one.getValue();
            Checkpoint then = receipt.verify(served.trust().witnesses()).checkpoint();
            reader.requireContinues(then);
            Sha256 payload = reader.entry(receipt.index()).payloadDigest().orElseThrow();
            assertEquals(Hashing.sha256(one.getKey()), payload, "entry " + receipt.index());
            assertTrue(reader.payload(payload).isPresent());
            assertTrue(bodyByIndex.put(receipt.index(), one.getKey()) == null, "one entry to an index");
        }
        LogFsck.Report report = LogFsck.check(
                LogSources.at(served.logFolder().toString()), served.trust().witnesses());
        assertEquals(List.of(), report.missingPayloads());
        CommandLineRun fsck =
                CommandLineRun.of("log", "fsck", served.logFolder().toString());
        assertEquals(0, fsck.exitCode(), fsck.err());
    }

    private static HttpLogClient client(ServedLog served) {
        try {
            return new HttpLogClient(served.logUrl(), served.trust().witnesses());
        } catch (AttestationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static DsseEnvelope envelope(String body) {
        return DsseEnvelope.sign(DsseEnvelope.IN_TOTO, body.getBytes(StandardCharsets.UTF_8), KEY);
    }
}
